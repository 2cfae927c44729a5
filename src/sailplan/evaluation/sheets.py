"""Sheets: tables that can be written as Markdown, as LaTeX and as HTML; for the terminal see `terminal`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "*": r"$^*$",
    **{letter: "\\" + letter for letter in "&%$#_{}"},
}


@dataclass(frozen=True)
class Cell:
    """The text of a cell; bold if it is the best of its kind."""

    text: str
    bold: bool = False


@dataclass(frozen=True)
class Sheet:
    """A table; its first column holds the names of the rows."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    spare: Sequence[str] = ()
    """Headings of columns that a terminal leaves out if it is too narrow, in this order."""


def markdown(sheet: Sheet) -> str:
    """The table as Markdown, with its title."""
    rule = "|---|" + "---:|" * (len(sheet.headings) - 1)
    rows = [_markdown_row([_markdown_cell(cell) for cell in row]) for row in sheet.rows]
    head = _markdown_row([in_markdown(heading) for heading in sheet.headings])
    return "\n".join([f"## {in_markdown(sheet.title)}", "", head, rule, *rows, ""])


def latex(sheet: Sheet) -> str:
    """The table as a LaTeX `table` that needs only the package graphicx, which fits it to the line."""
    columns = "l" + "r" * (len(sheet.headings) - 1)
    rows = [" & ".join(map(_latex_cell, row)) + r" \\" for row in sheet.rows]
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{in_latex(sheet.title)}}}",
            r"\resizebox{\linewidth}{!}{%",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\hline",
            " & ".join(map(in_latex, sheet.headings)) + r" \\",
            r"\hline",
            *rows,
            r"\hline",
            r"\end{tabular}}",
            r"\end{table}",
            "",
        ]
    )


def html(sheet: Sheet) -> str:
    """The table as HTML, with its title."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in sheet.headings)
    rows = "\n".join("<tr>" + "".join(map(_html_cell, row)) + "</tr>" for row in sheet.rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>"
    return f'<h3>{escape(sheet.title)}</h3>\n<div class="wide">{table}</div>'


def in_latex(text: str) -> str:
    """Escape the text for LaTeX."""
    return "".join(_LATEX.get(letter, letter) for letter in text)


def in_markdown(text: str) -> str:
    """Escape the text for Markdown."""
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", text)


def _markdown_row(texts: Sequence[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def _markdown_cell(cell: Cell) -> str:
    return f"**{in_markdown(cell.text)}**" if cell.bold else in_markdown(cell.text)


def _latex_cell(cell: Cell) -> str:
    return rf"\textbf{{{in_latex(cell.text)}}}" if cell.bold else in_latex(cell.text)


def _html_cell(cell: Cell) -> str:
    return f"<td><b>{escape(cell.text)}</b></td>" if cell.bold else f"<td>{escape(cell.text)}</td>"
