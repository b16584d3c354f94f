"""Electronic signatures of a report: made, and checked."""
