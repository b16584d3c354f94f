"""The two ways in which the law gives no answer; the caller then says "not evaluated"."""

from __future__ import annotations


class NotInForce(LookupError):
    """No version of the game's regulation whose text is known covers the day."""


class TextUnknown(LookupError):
    """The provision exists on that day, but its text has not been read."""
