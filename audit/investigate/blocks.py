"""What an investigation consists of in one language: headings, sentences and tables, however they are drawn."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BlockTable:
    """Rows of cells under headings; `numeric` are columns set to the right, `marked` rows that stand out.

    A table without headings is a list of labels and values.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    marked: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """Sentences, each a paragraph; `marked` ones stand out."""

    lines: tuple[str, ...]
    marked: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it; `key` names it in every language."""

    key: str
    heading: str
    blocks: tuple[BlockTable | Paragraphs, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """The whole, in one language."""

    language: str
    title: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]
