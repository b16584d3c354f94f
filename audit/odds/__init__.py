"""Exact counts of every way a round can end: house edges, and paytables put to the test."""
