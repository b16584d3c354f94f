"""An investigation on the screen: with colour in a terminal, as plain text elsewhere."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Final, TextIO

from audit.investigate.blocks import BlockTable, Document, Paragraphs

if TYPE_CHECKING:
    from rich.console import Console

PLAIN_WIDTH: Final = 180
"""Columns of text that goes to a file or another program."""

GAP: Final = 2
FEW: Final = 8
"""A table of more columns than these is set row by row where the screen is too narrow for it."""


def show(document: Document, out: TextIO | None = None) -> None:
    """Print a document to `out`, by default standard output."""
    from rich.console import Console

    stream = out or sys.stdout
    if stream.isatty():
        _print(document, Console(file=stream, highlight=False, markup=False, emoji=False))
        return
    text = io.StringIO()
    _print(document, Console(file=text, width=PLAIN_WIDTH, highlight=False, markup=False, emoji=False, no_color=True))
    stream.writelines(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def _print(document: Document, console: Console) -> None:
    console.print(document.title, style="bold", soft_wrap=True)
    for line in document.lead:
        console.print(line, style="dim", soft_wrap=True)
    for section in document.sections:
        console.print()
        console.print(section.heading, style="bold cyan", soft_wrap=True)
        for place, block in enumerate(section.blocks):
            if place and isinstance(block, BlockTable):
                console.print()
            if isinstance(block, Paragraphs):
                _lines(console, block)
            else:
                _table(console, block)


def _lines(console: Console, block: Paragraphs) -> None:
    for place, line in enumerate(block.lines):
        marked = place in block.marked
        console.print(("! " if marked else "  ") + line, style="bold red" if marked else None, soft_wrap=True)


def _table(console: Console, block: BlockTable) -> None:
    from rich.cells import cell_len
    from rich.table import Table as Grid
    from rich.text import Text

    widths = [max(map(cell_len, column)) + GAP for column in zip(*filter(None, (block.head, *block.rows)), strict=True)]
    if len(block.head) > FEW and sum(widths) + GAP > console.width:
        for place, row in enumerate(block.rows):
            pairs = tuple((name, cell) for name, cell in zip(block.head, row, strict=True) if cell)
            every = frozenset(range(len(pairs))) if place in block.marked else frozenset[int]()
            _table(console, BlockTable((), pairs, marked=every))
            console.print()
        return
    grid = Grid(box=None, padding=(0, GAP, 0, 0), show_header=bool(block.head), header_style="bold", show_edge=False)
    grid.add_column("")
    columns = len(block.head) or max((len(row) for row in block.rows), default=0)
    for place in range(columns):
        heading = Text(block.head[place]) if block.head else ""
        grid.add_column(heading, justify="right" if place in block.numeric else "left", overflow="fold")
    for place, row in enumerate(block.rows):
        marked = place in block.marked
        sign = "!" if marked else " "
        grid.add_row(sign, *(Text(cell) for cell in row), style="bold red" if marked else None)
    console.print(grid)
