from __future__ import annotations

import os
from pathlib import Path

import pytest

from sailplan import files
from sailplan.errors import PolicyError, WorldError
from sailplan.files import atomic_write, file_bytes, file_lines, write_text


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


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
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
