"""The revisions of the ledger, each a file that is never changed once a ledger may have it."""
