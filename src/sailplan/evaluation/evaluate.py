"""Evaluate policies on worlds: load the tasks, run the benchmark, summarise it."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from shutil import get_terminal_size

from rich.console import Console, RenderableType

from sailplan.core import Limits, Note, Policy
from sailplan.core.graph import Problem
from sailplan.datasets.scenario import Endpoints
from sailplan.datasets.tasks import Choice, load_tasks
from sailplan.errors import PolicyError, SailplanError, WorldError
from sailplan.evaluation.benchmark import BLOCKED, PAPER_LIMITS, BenchmarkSet, run_benchmark
from sailplan.evaluation.metrics import Summary, summarise
from sailplan.evaluation.records import UNSOLVABLE, Record, note_lines
from sailplan.evaluation.sheets import html
from sailplan.evaluation.tables import EXPLANATION, family_sheets
from sailplan.evaluation.terminal import rich_table
from sailplan.parallel import show_progress
from sailplan.policies.catalogue import load_policy

Data = str | PathLike[str] | Problem | Sequence[str | PathLike[str] | Problem]
"""A folder, a file or the name of a family, or a problem; or several of them."""
Policies = str | Policy | Sequence[str | Policy] | Mapping[str, str | Policy]
"""Names, model files, run folders or policies; a mapping gives each the name that tables have."""
_WIDTH = 120
"""Columns of an evaluation as text, if there is no terminal."""
_EXPECTED = {"data": "folders, files, names of families or problems", "policies": "names or policies"}


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Records of policies on worlds, which print themselves as tables."""

    records: Sequence[Record]
    """One record for each search, in the order of worlds and policies."""
    remarks: Sequence[str] = ()
    """Notes on the worlds, one line each."""

    @cached_property
    def summaries(self) -> list[Summary]:
        """One summary for each family and policy."""
        return summarise(self.records)

    @property
    def notes(self) -> list[str]:
        """Notes on the worlds, and on the searches, one line for each family and subject, with the number of worlds."""
        return [*self.remarks, *note_lines(self.records)]

    def __rich_console__(self, console: Console, options: object) -> Iterator[RenderableType]:
        yield rich_table(*family_sheets(self.summaries))
        yield ""
        yield f"[dim]{EXPLANATION}[/dim]"
        for one in self.summaries:
            if one.listed_costs:
                met = f"{one.listed_costs_met} of {one.listed_costs}"
                yield f"{one.family}: {one.policy} found the listed cost in {met} solved"

    def __str__(self) -> str:
        text = io.StringIO()
        width = get_terminal_size((_WIDTH, 24)).columns
        # In a notebook rich would display the tables by itself, and in colours.
        Console(file=text, width=width, force_jupyter=False, force_terminal=False).print(self)
        return "\n".join(line.rstrip() for line in text.getvalue().rstrip().splitlines())

    def _repr_html_(self) -> str:
        """The tables for a notebook."""
        return "\n".join([*map(html, family_sheets(self.summaries)), f"<p>{EXPLANATION}</p>"])


def evaluate(
    data: Data,
    policies: Policies,
    *,
    split: str | None = None,
    limit: int | None = None,
    skip: int = 0,
    seed: int = 0,
    size: int = 201,
    endpoints: Endpoints = "auto",
    limits: Limits = PAPER_LIMITS,
    jobs: int = 1,
) -> Evaluation:
    """Run policies on worlds, with a progress bar if standard error is a terminal.

    Parameters
    ----------
    data
        A folder of worlds, a `.scen` or `.npz` file, the name of a family to generate, a problem, or a sequence of
        these.
    policies
        Names (see `sailplan policies`), model files, run folders or policies; or a mapping from the names that the
        table shall have.
    split
        `train`, `validation`, `test` or `all`; by default `test`, or `all` if the data has no splits.
    limit, skip
        Use at most so many worlds of each family, after leaving out the first so many.
    seed
        Seed of generated worlds and random endpoints.
    size
        Width and height of generated worlds.
    endpoints
        `corners`, `random`, or `auto`: random free cells in worlds whose corners are blocked.
    limits
        Limits of each search; by default the paper's 20000 expansions.
    jobs
        Number of threads. With more than one, times are those of a busy machine.

    Returns
    -------
    Evaluation
        Records, summaries and notes; printed, it is a table.

    Raises
    ------
    SailplanError
        If data or policies cannot be used, or no world has a path.

    Examples
    --------
    >>> from sailplan.evaluation import evaluate
    >>> evaluation = evaluate("forest", ["h_euc", "oracle"], limit=2, size=41)
    >>> [(one.policy, one.solved) for one in evaluation.summaries]
    [('h_euc', 2), ('oracle', 2)]
    """
    choice = Choice(split, limit, seed, size, endpoints, skip)
    items = [data] if isinstance(data, str | PathLike | Problem) else _listed(data, "data")
    task_sets: list[BenchmarkSet] = []
    for item in items:
        if isinstance(item, str | PathLike):
            task_sets += load_tasks(str(Path(item)) if isinstance(item, PathLike) else item, choice)
        elif not isinstance(item, Problem):
            raise WorldError(f"data must be {_EXPECTED['data']}, got {item!r:.60}")
    problems = [GivenTask(item) for item in items if isinstance(item, Problem)]
    if problems:
        task_sets.append(GivenTasks("problems", problems))
    return evaluate_tasks(task_sets, policies, limits, jobs=jobs)


def evaluate_tasks(
    task_sets: Sequence[BenchmarkSet], policies: Policies, limits: Limits = PAPER_LIMITS, *, jobs: int = 1
) -> Evaluation:
    """Run policies on tasks, with a progress bar; the rest is as in `evaluate`."""
    named = named_policies(policies)
    with show_progress("searching", sum(len(one.tasks) for one in task_sets)) as step:
        records = run_benchmark(named, task_sets, limits, jobs=jobs, on_task=step)
    _check_solvable(records, len(named))
    remarks = [f"{one.family}: {note}" for one in task_sets for note in one.notes]
    return Evaluation(tuple(records), tuple(remarks))


def named_policies(policies: Policies) -> dict[str, Policy]:
    """Policies by the name that tables have; raises PolicyError for anything else."""
    if isinstance(policies, Mapping) and policies:
        return {str(name): _policy(policy) for name, policy in policies.items()}
    items = [policies] if isinstance(policies, str) or hasattr(policies, "open") else _listed(policies, "policies")
    found: dict[str, Policy] = {}
    for item in items:
        policy, name = _policy(item), item if isinstance(item, str) else _name_of(item)
        number = Counter(key.partition(" #")[0] for key in found)[name]
        # The same name twice is one policy; two policies of one kind are told apart by a number.
        found[name if isinstance(item, str) or not number else f"{name} #{number + 1}"] = policy
    return found


@dataclass(frozen=True, eq=False)
class GivenTask:
    """A problem that was given."""

    given: Problem
    ends: str = "listed"
    blocked_end: str = ""
    listed_cost: float = math.nan

    @property
    def name(self) -> str:
        """The name of the problem."""
        return self.given.name

    def problem(self) -> Problem:
        """The problem."""
        return self.given


@dataclass(frozen=True, eq=False)
class GivenTasks:
    """Problems that were given."""

    family: str
    tasks: Sequence[GivenTask]
    notes: tuple[Note, ...] = ()


def _listed(items: object, what: str) -> list[object]:
    if not isinstance(items, Sequence) or isinstance(items, bytes) or not items:
        raise SailplanError(f"{what} must be {_EXPECTED[what]}, one or several, got {items!r:.60}")
    return list(items)


def _policy(item: object) -> Policy:
    if isinstance(item, str):
        return load_policy(item)
    if not hasattr(item, "open") or not hasattr(item, "stop"):
        raise PolicyError(f"policies must be {_EXPECTED['policies']}, got {item!r:.60}")
    policy: Policy = item
    return policy


def _name_of(policy: object) -> str:
    """The name of the run folder of a trained policy; the name of the class of another."""
    run = getattr(policy, "run", None)
    return run.name if isinstance(run, Path) else type(policy).__name__


def _check_solvable(records: Sequence[Record], policies: int) -> None:
    """Raise WorldError if there is nothing to compare: no world has a path."""
    if not records or any(record.outcome != UNSOLVABLE for record in records):
        return
    worlds = len(records) // policies
    subjects = {note.subject for record in records for note in record.notes if note.message == BLOCKED}
    blocked = sum(any(note.message == BLOCKED for note in record.notes) for record in records) // policies
    if blocked == worlds:
        what = subjects.pop() if len(subjects) == 1 else "blocked start or goal"
        raise WorldError(f"{worlds} of {worlds} worlds have a {what}; use --endpoints random")
    raise WorldError(f"none of {worlds} worlds has a path from start to goal")
