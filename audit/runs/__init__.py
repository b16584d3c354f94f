"""A run as a folder of files: staged, named, described by its manifest, compared with another."""
