from __future__ import annotations

import pytest

from sailplan.parallel import no_progress, show_progress


def test_no_progress_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with no_progress("working", 2) as step:
        step()
        step("half of it")
    assert capsys.readouterr() == ("", "")


def test_progress_is_silent_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress("working", 2) as step:
        step()
        step("half of it")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "working" not in captured.err
