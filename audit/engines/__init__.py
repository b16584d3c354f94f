"""Where an audit runs: one process here; more machines later, with the same functions."""
