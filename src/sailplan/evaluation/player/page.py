"""Pages that replay searches without a server: one file with the player, the maps and the recordings."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from sailplan.files import FilePath, write_text

STATIC = Path(__file__).parent / "static"
"""The folder of the player, which the server of the web page serves too."""
_MODULES = ("colours.js", "recording.js", "drawing.js", "gif.js", "player.js")
"""The modules of the player, each after those that it imports."""
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
_IMPORT = re.compile(r"^import \{[^}]*\} from \"\./\w+\.js\";\n", re.MULTILINE)


@dataclass(frozen=True)
class Scene:
    """Searches on one map, which are replayed side by side."""

    title: str
    """The title above the player."""
    map: dict[str, Any]
    """The map, as `describe_map` returns it."""
    searches: Sequence[dict[str, Any]]
    """The facts and the recording of each search, as `run_recorded` returns them."""


def write_player(path: FilePath, headline: str, scenes: Sequence[Scene]) -> None:
    """Write a page that replays searches, atomically; it opens from disk and needs no network.

    Parameters
    ----------
    path
        The file.
    headline
        The title of the page.
    scenes
        What is replayed.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    )
    write_text(
        path,
        f'<!doctype html>\n<html lang="en"><head>{head}<title>{escape(headline)}</title></head>\n'
        f'<body class="page"><h1>{escape(headline)}</h1>\n{player_part(scenes)}\n</body></html>\n',
    )


def player_part(scenes: Sequence[Scene]) -> str:
    """Return the part of a page that replays searches; a page has at most one such part."""
    sections = "\n".join(_section(scene) for scene in scenes)
    style = (STATIC / "player.css").read_text(encoding="utf-8")
    return f'<style>{style}</style>\n{sections}\n<script type="module">\n{_script()}mountScenes();\n</script>'


def _section(scene: Scene) -> str:
    contents = json.dumps({"map": scene.map, "searches": list(scene.searches)})
    # So that no text in it can end the element.
    contents = contents.replace("<", "\\u003c")
    title = f"<h2>{escape(scene.title)}</h2>" if scene.title else ""
    return f'<section class="scene">{title}<script type="application/json">{contents}</script></section>'


def _script() -> str:
    """Return the modules of the player as one: a page that is opened from disk cannot import others."""
    texts = [(STATIC / name).read_text(encoding="utf-8") for name in _MODULES]
    return "\n".join(_IMPORT.sub("", text) for text in texts)
