"""What should have happened, for millions of rounds at once: tables compiled from the games, arrays from the tables."""
