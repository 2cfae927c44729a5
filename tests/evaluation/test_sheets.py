from __future__ import annotations

import pytest

from sailplan.evaluation.sheets import Cell, Sheet, html, in_latex, latex, markdown

SHEET = Sheet(
    "50 % & more_", ["planner", "A*|B"], [[Cell("h_euc", True), Cell("1 [x]", True)], [Cell("<b>"), Cell("-")]]
)


def test_markdown() -> None:
    assert markdown(SHEET).splitlines() == [
        r"## 50 % & more\_",
        "",
        r"| planner | A\*\|B |",
        "|---|---:|",
        r"| **h\_euc** | **1 \[x\]** |",
        r"| \<b\> | - |",
    ]


def test_latex() -> None:
    lines = latex(SHEET).splitlines()
    assert r"\caption{50 \% \& more\_}" in lines
    assert r"\begin{tabular}{lr}" in lines
    assert r"planner & A$^*$\textbar{}B \\" in lines
    assert r"\textbf{h\_euc} & \textbf{1 [x]} \\" in lines
    assert r"\textless{}b\textgreater{} & - \\" in lines


@pytest.mark.parametrize("letter", list("\\~^&%$#_{}"))
def test_no_letter_is_left_to_latex(letter: str) -> None:
    assert in_latex(f"a{letter}b") not in (f"a{letter}b", "ab")
    assert in_latex(f"a{letter}b").startswith("a\\")


def test_html() -> None:
    text = html(SHEET)
    assert "<h3>50 % &amp; more_</h3>" in text
    assert "<td><b>h_euc</b></td>" in text
    assert "<td>&lt;b&gt;</td>" in text
