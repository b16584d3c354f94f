"""A source profile proposed for a file that nobody has described yet."""
