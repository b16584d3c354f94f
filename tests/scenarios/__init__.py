"""Small logs at the edges of the judging rules, each with the findings that the rule's own words ask for."""
