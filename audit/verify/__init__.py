"""Whether a finished run, or the ledger with all its runs, is still what it was."""
