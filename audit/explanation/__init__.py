"""What the regulation requires of one hand and of the wagers on it, step by step, no log needed."""
