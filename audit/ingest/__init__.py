"""From files of the house to typed canonical rows: nothing is guessed, nothing is dropped in silence."""
