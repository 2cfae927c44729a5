from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sailplan import locks
from sailplan.errors import TrainingError
from sailplan.locks import LOCK, locked

_HOLD = """
import sys
from pathlib import Path
from sailplan.errors import SailplanError
from sailplan.locks import locked
with locked(sys.argv[1], error=SailplanError):
    print("locked", flush=True)
    sys.stdin.read()
"""
_RACE = """
import sys
from pathlib import Path
from sailplan.errors import TrainingError
from sailplan.learning import ALGORITHMS, Plan, RunFolder
plan = Plan("sail", "forest", 0, ALGORITHMS["sail"].presets["default"])
print("ready", flush=True)
for line in sys.stdin:
    try:
        RunFolder.begin(Path(line.strip()), plan, "digest")
        print("began", flush=True)
    except TrainingError as error:
        print("refused", flush=True)
"""


def _start(script: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def _tell(process: subprocess.Popen[str], text: object) -> None:
    assert process.stdin
    process.stdin.write(f"{text}\n")
    process.stdin.flush()


def test_a_second_process_is_refused_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    with _start(_HOLD, tmp_path) as holder:
        assert _line(holder) == "locked"
        with pytest.raises(TrainingError, match=r"another process works in this folder; wait .*") as raised:
            locked(tmp_path, error=TrainingError).__enter__()
        assert str(raised.value).startswith(str(tmp_path))
        holder.kill()
    assert (tmp_path / LOCK).exists()
    with locked(tmp_path, error=TrainingError) as is_locked:
        assert is_locked
    assert not (tmp_path / LOCK).exists()


def test_of_two_processes_that_begin_a_run_at_one_moment_one_succeeds(tmp_path: Path) -> None:
    with _start(_RACE) as one, _start(_RACE) as other:
        assert (_line(one), _line(other)) == ("ready", "ready")
        for number in range(200):
            for process in (one, other):
                _tell(process, tmp_path / str(number))
            assert sorted([_line(one), _line(other)]) == ["began", "refused"], number
        for process in (one, other):
            assert process.stdin
            process.stdin.close()


def test_another_thread_is_refused_and_the_same_one_is_not(tmp_path: Path) -> None:
    refused = []

    def attempt() -> None:
        try:
            with locked(tmp_path, error=TrainingError):
                pass
        except TrainingError as error:
            refused.append(error)

    with locked(tmp_path, error=TrainingError), locked(tmp_path / ".", error=TrainingError):
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
    assert len(refused) == 1
    attempt()
    assert len(refused) == 1


def test_an_exception_releases_the_lock(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(KeyError), locked(tmp_path / "new", error=TrainingError):
            raise KeyError
    assert list((tmp_path / "new").iterdir()) == []


def test_a_file_that_was_removed_in_between_locks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = locks._lock
    removed: list[bool] = []

    def remove_first(descriptor: int) -> None:
        if not removed:
            (tmp_path / LOCK).unlink()
            removed.append(True)
        lock(descriptor)

    monkeypatch.setattr(locks, "_lock", remove_first)
    with locked(tmp_path, error=TrainingError):
        assert (tmp_path / LOCK).exists()
        with _start(_HOLD, tmp_path) as late:
            assert _line(late) == ""
            assert late.wait() == 1


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(locks, "_lock", refuse)
    with locked(tmp_path, error=TrainingError) as is_locked:
        assert not is_locked


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError), locked(tmp_path / "file", error=TrainingError):
        pass
