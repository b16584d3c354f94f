"""The configuration of an audit and of the nightly service."""
