"""The catalogue of checks: what each code asks, its severity and criterion, the words of its findings, its examples."""
