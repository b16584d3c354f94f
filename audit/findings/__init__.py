"""What an audit found: the table of findings, their sums, and the files that they are written to."""
