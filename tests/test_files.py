from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sailplan import files
from sailplan.errors import PolicyError, WorldError
from sailplan.files import atomic_write, exists, file_bytes, file_lines, is_folder, write_text


def test_the_file_appears_when_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "out.bin"
    with atomic_write(path) as handle:
        handle.write(b"half")
        assert not path.exists()
        handle.write(b" and half")
    assert path.read_bytes() == b"half and half"
    assert list(path.parent.iterdir()) == [path]


def _write_half(path: Path, fault: BaseException) -> None:
    with atomic_write(path) as handle:
        handle.write(b"new")
        raise fault


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt(), ValueError()])
def test_a_fault_leaves_the_old_file_and_nothing_else(tmp_path: Path, fault: BaseException) -> None:
    path = tmp_path / "out.txt"
    write_text(path, "old")
    with pytest.raises(type(fault)):
        _write_half(path, fault)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_text_is_written_as_utf8(tmp_path: Path) -> None:
    write_text(tmp_path / "out.txt", "√2\n")
    assert (tmp_path / "out.txt").read_bytes() == "√2\n".encode()


def test_a_new_file_has_the_usual_rights_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("")
    write_text(tmp_path / "new.txt", "")
    assert (tmp_path / "new.txt").stat().st_mode == (tmp_path / "plain.txt").stat().st_mode
    (tmp_path / "plain.txt").chmod(0o600)
    write_text(tmp_path / "plain.txt", "again")
    assert (tmp_path / "plain.txt").stat().st_mode & 0o777 == 0o600


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_text("/dev/null", "gone")
    assert Path("/dev/null").is_char_device()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_an_os_error() -> None:
    with pytest.raises(OSError, match="No space left"):
        write_text("/dev/full", "too much")


def test_a_folder_or_a_file_in_the_way_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_text(tmp_path, "text")
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        write_text(tmp_path / "file" / "below.txt", "text")


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() == 0, reason="nothing is forbidden to root")
def test_a_forbidden_file_is_an_os_error(tmp_path: Path) -> None:
    write_text(tmp_path / "out.txt", "old")
    (tmp_path / "out.txt").chmod(0o444)
    with pytest.raises(PermissionError):
        write_text(tmp_path / "out.txt", "new")


def test_lines_of_unix_and_windows(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\nthr\xffee")
    assert file_lines(tmp_path / "a.txt", error=WorldError) == ["one", "two", "thr�ee"]


def test_what_cannot_be_read_is_one_line_of_the_given_error(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"^\S+/absent: no such file or directory$"):
        file_bytes(tmp_path / "absent", error=PolicyError)
    with pytest.raises(WorldError, match=r"^\S+: is a directory$"):
        file_bytes(tmp_path, error=WorldError)
    with pytest.raises(WorldError, match=r"^/dev/null: not a regular file$"):
        file_bytes("/dev/null", error=WorldError)
    with pytest.raises(WorldError, match=r"^'a\\x00b': not a file name$"):
        file_bytes("a\0b", error=WorldError)
    with pytest.raises(WorldError, match=r"^a+: file name too long$"):
        file_bytes("a" * 300, error=WorldError)


def test_a_huge_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_FILE", 3)
    (tmp_path / "a.bin").write_bytes(b"four")
    with pytest.raises(WorldError, match=r"a\.bin: 4 bytes, and at most 3 are read$"):
        file_bytes(tmp_path / "a.bin", error=WorldError)


def _stale(folder: Path, token: str, seconds: float = 3600.0) -> Path:
    """Make a temporary file such as a process leaves that was killed."""
    path = folder / f".sailplan-{token * 16}.tmp"
    path.write_bytes(b"half")
    os.utime(path, (time.time() - seconds,) * 2)
    return path


def test_a_temporary_file_of_a_killed_process_is_removed(tmp_path: Path) -> None:
    script = (
        "import os, sys; from sailplan.files import atomic_write\n"
        "with atomic_write(sys.argv[1]) as handle: handle.write(b'half'); handle.flush(); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "out.txt")], check=False)
    (left,) = tmp_path.iterdir()
    os.utime(left, (time.time() - 3600,) * 2)
    write_text(tmp_path / "other.txt", "")
    assert [path.name for path in tmp_path.iterdir()] == ["other.txt"]


def test_files_of_living_processes_and_of_others_are_kept(tmp_path: Path) -> None:
    young = _stale(tmp_path, "a", seconds=0.0)
    foreign = tmp_path / ".0123456789abcdef.tmp"
    foreign.write_bytes(b"")
    os.utime(foreign, (0, 0))
    with atomic_write(tmp_path / "slow.txt") as handle:
        handle.write(b"half")
        handle.flush()
        (own,) = {*tmp_path.glob(".sailplan-*")} - {young}
        os.utime(own, (0, 0))
        gone = _stale(tmp_path, "b")
        files._remove_stale_files.cache_clear()
        write_text(tmp_path / "other.txt", "")
        assert not gone.exists()
        assert own.exists()
    assert (tmp_path / "slow.txt").read_bytes() == b"half"
    assert young.exists()
    assert foreign.exists()


def test_contents_are_on_the_disk_before_they_replace_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda opened: synced.append(_describe(opened, tmp_path / "out.txt")))
    write_text(tmp_path / "out.txt", "new")
    assert synced == ["file of 3 bytes, not yet there", "folder, there"]


def _describe(opened: int, target: Path) -> str:
    status, there = os.fstat(opened), "there" if target.exists() else "not yet there"
    return f"folder, {there}" if stat.S_ISDIR(status.st_mode) else f"file of {status.st_size} bytes, {there}"


def test_text_that_utf8_cannot_encode_is_escaped(tmp_path: Path) -> None:
    write_text(tmp_path / "out.txt", os.fsdecode(b"caf\xe9.png"))
    assert (tmp_path / "out.txt").read_bytes() == rb"caf\udce9.png"


def test_there_is_no_file_of_a_name_that_is_too_long(tmp_path: Path) -> None:
    write_text(tmp_path / "file", "")
    found = [(exists(path), is_folder(path)) for path in (tmp_path, tmp_path / "file", tmp_path / "none")]
    assert found == [(True, True), (True, False), (False, False)]
    too_long = tmp_path / ("a" * 300)
    assert not exists(too_long)
    assert not is_folder(too_long)
