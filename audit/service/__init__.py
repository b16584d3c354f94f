"""The nightly service: one process that audits each gaming day found complete in the inbox and not yet audited."""
