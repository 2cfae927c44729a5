"""The files of the page and of the player, read once: a name in a request is looked up, never joined to a path."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import sailplan

CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
"""The content type of each kind of file that is served."""

_PACKAGE = Path(sailplan.__file__).parent
PAGE_FOLDER = _PACKAGE / "web" / "static"
PLAYER_FOLDER = _PACKAGE / "evaluation" / "player" / "static"


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
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return {
        path.name: StaticFile(path.read_bytes(), CONTENT_TYPES[path.suffix])
        for path in found
        if path.suffix in CONTENT_TYPES
    }
