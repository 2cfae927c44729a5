"""The notebook runs from the first cell to the last, on the installed package."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[1] / "examples" / "tour.ipynb"
LARGEST = 200_000
"""Largest size of the file, in bytes."""


def read_notebook() -> nbformat.NotebookNode:
    text = NOTEBOOK.read_text(encoding="utf-8")
    notebook: nbformat.NotebookNode = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
    return notebook


def text_of(cell: nbformat.NotebookNode) -> str:
    return "".join(output.get("text", "") for output in cell.get("outputs", []))


def test_it_is_small_and_has_no_outputs() -> None:
    assert NOTEBOOK.stat().st_size < LARGEST
    notebook = read_notebook()
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    assert all(cell.get("execution_count") is None for cell in notebook.cells)


def test_it_runs_and_shows_what_it_says(tmp_path: Path) -> None:
    notebook = read_notebook()
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    kinds = {kind for cell in notebook.cells for one in cell.get("outputs", []) for kind in one.get("data", {})}
    assert {"image/png", "image/gif"} <= kinds
    printed = "\n".join(map(text_of, notebook.cells))
    table = {words[0]: words for words in map(str.split, printed.splitlines()) if len(words) == 9}
    expansions = {name: float(table[name][2]) for name in ("h_euc", "optimistic", "trained", "oracle")}
    assert expansions["oracle"] <= expansions["trained"] < 0.9 * expansions["optimistic"]
    costs = dict(re.findall(r"^(a_star|lazy:1|lazy) +cost ([\d.]+)", printed, re.MULTILINE))
    assert costs["a_star"] == costs["lazy:1"]
    evaluations = [int(number) for number in re.findall(r"(\d+) edge evaluations, ", printed)]
    assert evaluations[0] > 3 * evaluations[1] > 3 * evaluations[2]
