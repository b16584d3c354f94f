"""The catalogue of checks: what each code asks, its severity, its criterion, the words of its findings."""
