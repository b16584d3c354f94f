"""What has been audited, kept for good: the append-only ledger of the nightly service."""
