"""Kinds of files and how each is read: whatever the kind, raw columns with the number of every row come out."""
