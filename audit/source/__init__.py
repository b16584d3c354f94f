"""From files of a house to typed canonical rows: nothing is guessed, nothing is dropped in silence."""
