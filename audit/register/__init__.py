"""The house's register of authorisations, the notice it gave, and the working days by which notice is counted."""
