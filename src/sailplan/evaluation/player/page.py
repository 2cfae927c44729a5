"""Pages that replay searches without a server: one file with the player, the maps and the recordings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from sailplan.core import Limits, Policy
from sailplan.core.search import NO_LIMITS
from sailplan.datasets.tasks import Task
from sailplan.evaluation.player.recording import describe_map, run_recorded
from sailplan.evaluation.report import PLAYER, write_page
from sailplan.files import FilePath

_MODULES = ("colours.js", "recording.js", "drawing.js", "gif.js", "player.js")
"""The modules of the player, each after those that it imports."""
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


def record_scene(task: Task, policies: Mapping[str, Policy], limits: Limits = NO_LIMITS) -> Scene:
    """Search a task with each policy, given by the name to show, and record the searches."""
    problem = task.problem()
    searches = [run_recorded(problem, name, policy, limits) for name, policy in policies.items()]
    return Scene(f"Replay of {task.name}", describe_map(task.scenario.world), searches)


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
    write_page(path, headline, [player_part(scenes)])


def player_part(scenes: Sequence[Scene]) -> str:
    """Return the part of a page that replays searches; a page has at most one such part."""
    sections = "\n".join(_section(scene) for scene in scenes)
    return f'{sections}\n<script type="module">\n{_script()}mountScenes();\n</script>'


def _section(scene: Scene) -> str:
    contents = json.dumps({"map": scene.map, "searches": list(scene.searches)})
    # So that no text in it can end the element.
    contents = contents.replace("<", "\\u003c")
    title = f"<h2>{escape(scene.title)}</h2>" if scene.title else ""
    return f'<section class="scene">{title}<script type="application/json">{contents}</script></section>'


def _script() -> str:
    """Return the modules of the player as one: a page that is opened from disk cannot import others."""
    texts = [(PLAYER / name).read_text(encoding="utf-8") for name in _MODULES]
    return "\n".join(_IMPORT.sub("", text) for text in texts)
