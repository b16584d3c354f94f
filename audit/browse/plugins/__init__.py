"""Plugins that Datasette loads from this folder."""
