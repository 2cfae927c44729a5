"""The files of the page and of the player, read once: a name in a request is looked up, never joined to a path."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
"""The content type of each kind of file that is served."""

PAGE = Path(__file__).parent / "static"
"""The folder of the page; that of the player is `sailplan.evaluation.report.PLAYER`."""


@dataclass(frozen=True)
class StaticFile:
    """A file in memory."""

    contents: bytes
    content_type: str

    @property
    def tag(self) -> str:
        """A name of this version of the file."""
        return f'"{hashlib.sha256(self.contents).hexdigest()[:16]}"'


def read_files(folder: Path) -> dict[str, StaticFile]:
    """Return the files of a folder by name, of the kinds that are served."""
    return {
        path.name: StaticFile(path.read_bytes(), CONTENT_TYPES[path.suffix])
        for path in sorted(folder.iterdir())
        if path.suffix in CONTENT_TYPES
    }
