"""Sheets in a terminal of any width: no figure is cut, and names are broken only between their parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sailplan.evaluation.sheets import Cell, Sheet

_LONG_NAME = 30
"""Names longer than this are broken before any column is left out, in characters."""
_PART = re.compile(r"[^:/_.\s-]*[:/_.\s-]*")
"""A part of a name, with the separators after it."""


def rich_table(*sheets: Sheet) -> RenderableType:
    """Return tables for the terminal, which fit its width when they are printed.

    If they are too wide, the columns in `Sheet.spare` are left out, with a line that says so. Then names are broken
    between their parts, and then the columns are shown in several tables, one below the other.

    Parameters
    ----------
    *sheets
        Sheets with the same headings.

    Returns
    -------
    RenderableType
        An object that `rich.print` and `rich.console.Console.print` show.

    Examples
    --------
    >>> from sailplan.evaluation.sheets import Cell, Sheet
    >>> sheet = Sheet("mazes", ["policy", "cost"], [[Cell("a_star"), Cell("1.000")]])
    >>> Console(width=40).print(rich_table(sheet))
    mazes
    policy  cost
    a_star 1.000
    """
    return _Fitted(sheets)


@dataclass(frozen=True)
class _Fitted:
    sheets: Sequence[Sheet]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        if not self.sheets:
            return
        layout = _Layout.of(self.sheets, options.max_width)
        for number, sheet in enumerate(self.sheets):
            if number:
                yield ""
            yield Text(sheet.title, style="italic")
            for columns in layout.blocks:
                yield _table(sheet, columns, layout)
        if layout.left_out:
            names = ", ".join(self.sheets[0].headings[column] for column in layout.left_out)
            yield Text(f"columns left out: {names} (a terminal of {layout.natural} columns shows all)", style="dim")


@dataclass(frozen=True)
class _Layout:
    widths: Sequence[int]
    """The width of each column; of the first one, the width that names are broken to."""
    blocks: Sequence[Sequence[int]]
    """The columns after the first one, in blocks that are shown one below the other."""
    left_out: Sequence[int]
    """Columns that are not shown."""
    natural: int
    """Width of the table with all columns and unbroken names."""

    @classmethod
    def of(cls, sheets: Sequence[Sheet], width: int) -> _Layout:
        rows = [_texts(sheet) for sheet in sheets]
        widths = [max(cell_len(row[column]) for sheet in rows for row in sheet) for column in range(len(rows[0][0]))]
        names = [row[0] for sheet in rows for row in sheet]
        part = max(cell_len(one.rstrip()) for name in names for one in _PART.findall(name))
        columns = list(range(1, len(widths)))
        left_out: list[int] = []
        for heading in sheets[0].spare:
            if min(widths[0], max(part, _LONG_NAME)) + _total(widths, columns) <= width:
                break
            left_out.append(sheets[0].headings.index(heading))
            columns.remove(left_out[-1])
        room = max(width - _total(widths, columns), min(part, width // 2))
        fitted = [min(widths[0], room), *widths[1:]]
        blocks = list(_blocks(fitted, columns, width))
        return cls(fitted, blocks, sorted(left_out), widths[0] + _total(widths, range(1, len(widths))))


def _texts(sheet: Sheet) -> list[list[str]]:
    """The text of each cell, the headings first."""
    return [list(sheet.headings), *([cell.text for cell in row] for row in sheet.rows)]


def _total(widths: Sequence[int], columns: Sequence[int]) -> int:
    """The width of columns, each with a space before it."""
    return sum(widths[column] + 1 for column in columns)


def _blocks(widths: Sequence[int], columns: Sequence[int], width: int) -> Iterator[list[int]]:
    """Columns in blocks, each of which fits beside the names."""
    block: list[int] = []
    for column in columns:
        if block and widths[0] + _total(widths, [*block, column]) > width:
            yield block
            block = []
        block.append(column)
    yield block


def _table(sheet: Sheet, columns: Sequence[int], layout: _Layout) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(escape(sheet.headings[0]), width=layout.widths[0], overflow="fold")
    for column in columns:
        table.add_column(escape(sheet.headings[column]), justify="right", no_wrap=True, width=layout.widths[column])
    for row in sheet.rows:
        name = Cell("\n".join(_lines(row[0].text, layout.widths[0])), row[0].bold)
        table.add_row(*(_styled(cell) for cell in [name, *(row[column] for column in columns)]))
    return table


def _styled(cell: Cell) -> Text:
    return Text(cell.text, style="bold" if cell.bold else "")


def _lines(name: str, width: int) -> Iterator[str]:
    """A name in lines of a width, broken between its parts if they fit."""
    line = ""
    for part in _PART.findall(name):
        if line and cell_len((line + part).rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += part
    yield line.rstrip()
