"""The page of results: every kind of policy on generated worlds that no training has seen.

    python benchmarks/results.py records
    python benchmarks/results.py page

`records` runs the policies on the worlds of all families and writes a file of records for each family, in `--records`.
`page` reads them and writes the page (`--out`) and its figures, beside it. It runs no search, so that the page can be
checked against the records.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, median

import numpy as np

from results_plot import draw_results
from sailplan import Limits, evaluate
from sailplan.core.graph import FloatArray
from sailplan.datasets import FAMILIES
from sailplan.evaluation import Record, Summary, read_records, summarise, write_records
from sailplan.evaluation.metrics import bootstrap_interval
from sailplan.evaluation.records import UNSOLVABLE
from sailplan.files import write_text

SEED = 1000
"""Of worlds that no training, choice or other benchmark uses."""
WORLDS = 80
"""Worlds of each family."""
BY_VERTICES = ["a_star_octile", "h_euc", "mha_star", "optimistic", "belief:FAMILY", "sail:FAMILY"]
BY_EDGES = ["lazy:1", "lazy", "lazy-belief:FAMILY", "lazy-sail:FAMILY"]
ORACLE = "oracle"
POLICIES = [ORACLE, *BY_VERTICES, *BY_EDGES]
PAIRS = [
    ("belief:FAMILY", "optimistic"),
    ("sail:FAMILY", "optimistic"),
    ("sail:FAMILY", "belief:FAMILY"),
    ("lazy-belief:FAMILY", "lazy"),
    ("lazy-sail:FAMILY", "lazy"),
    ("lazy-sail:FAMILY", "lazy-belief:FAMILY"),
]
"""Policies that are compared world by world."""
Table = dict[str, dict[str, Summary]]
"""The summaries by family and policy."""
Figure = Callable[[Summary], float]
Text = Callable[[Summary], str]


def run_family(family: str, worlds: int) -> list[Record]:
    """Run the policies on the worlds of a family, with figures rounded to what a page shows."""
    policies = {name: name.replace("FAMILY", family) for name in POLICIES}
    records = evaluate(family, policies, seed=SEED, limit=worlds, limits=Limits()).records
    return [
        replace(
            record,
            cost=round(record.cost, 4),
            optimal_cost=round(record.optimal_cost, 4),
            milliseconds=round(record.milliseconds, 3),
        )
        for record in records
    ]


def write_all(folder: Path, worlds: int, families: Sequence[str]) -> None:
    evaluate(families[0], {name: name.replace("FAMILY", families[0]) for name in POLICIES}, limit=1)  # compile
    for family in families:
        write_records(run_family(family, worlds), folder / f"{family}.csv")
        print(family, flush=True)


def read_all(folder: Path) -> list[Record]:
    return [record for family in FAMILIES for record in read_records(folder / f"{family}.csv")]


def by_family(records: Sequence[Record]) -> Table:
    table: Table = {}
    for summary in summarise(records):
        table.setdefault(summary.family, {})[summary.policy] = summary
    return table


def page(records: Sequence[Record]) -> str:
    """The page as Markdown."""
    table = by_family(records)
    return "\n".join(
        [introduction(table), expansions(table), evaluations(table), costs(table), times(records), pairs(records), ""]
    )


def introduction(table: Table) -> str:
    worlds = [policies[ORACLE] for policies in table.values()]
    searched, left_out = sum(one.worlds for one in worlds), sum(one.unsolvable for one in worlds)
    links = ",\n".join(f"[{family}](results/{family}.csv)" for family in table)
    return f"""# Results

The policies that come with the package, on {searched + left_out} generated worlds of {len(table)} families, of which
{left_out} without a path are left out. The worlds have 201 x 201 cells. No training or choice of a policy has used
them. Start, goal and moves are those of the paper. Results on the maps that were published with the paper are in
[training.md](training.md#results), [lazy.md](lazy.md#results) and [replanning.md](replanning.md#results).

`make results` runs the searches, writes the records, and writes this page from them; do not edit it. Records, a row for
each search:
{links}.

Numbers in parentheses are bootstrap intervals of the mean (95 %). `FAMILY` stands for the policy of the family of the
world. The oracle knows the world; it is a limit, not a planner. Among the others, the best figure is bold.
"""


def expansions(table: Table) -> str:
    means = rows(
        table, BY_VERTICES, lambda one: one.mean_expansions, lambda one: with_interval(one.mean_expansions, one.ci95)
    )
    for family, row in zip(table, means, strict=True):
        row.insert(1, f"{table[family][ORACLE].mean_expansions:.1f}")
    ratios = with_mean(table, BY_VERTICES, lambda one: one.ratio_to_clairvoyant)
    return f"""## Few expansions

Mean expansions of the policies that expand vertices.

{grid(["family", ORACLE, *BY_VERTICES], means)}

The same, divided by the expansions of the oracle. {wins(table, BY_VERTICES, lambda one: one.mean_expansions)}

{grid(["family", *BY_VERTICES], ratios)}

![Expansions over those of the oracle, by family, with 95 % intervals](results_expansions.png)
"""


def evaluations(table: Table) -> str:
    names = ["a_star_octile", "optimistic", *BY_EDGES]
    means = rows(
        table,
        names,
        lambda one: one.mean_edge_evaluations,
        lambda one: with_interval(one.mean_edge_evaluations, one.ci95_edge_evaluations),
    )
    ratios = with_mean(table, names, lambda one: one.ratio_to_fewest_edges)
    return f"""## Few edge evaluations

Mean edge evaluations. The policies that begin with `lazy` request single edges and expand nothing.

{grid(["family", *names], means)}

The same, divided by the fewest edges that a path has. A search has to evaluate all edges of its path, so that no search
can be below 1. {wins(table, names, lambda one: one.mean_edge_evaluations)}

{grid(["family", *names], ratios)}

![Edge evaluations over the fewest edges of a path, by family, with 95 % intervals](results_evaluations.png)
"""


def costs(table: Table) -> str:
    ratios = with_mean(table, [*BY_VERTICES, *BY_EDGES], lambda one: one.mean_cost_ratio, bold=False)
    return f"""## What few expansions and evaluations cost

Path cost over optimal cost, mean. `a_star_octile` and `lazy:1` find shortest paths. The others end with the first path;
`--bound` limits its cost.

{grid(["family", *BY_VERTICES, *BY_EDGES], ratios)}
"""


def times(records: Sequence[Record]) -> str:
    """Medians, because other jobs on the machine delay some searches."""
    names = [*BY_VERTICES, *BY_EDGES]
    searched = [one for one in records if one.outcome != UNSOLVABLE]
    lines = []
    for family in FAMILIES:
        of_family = [one for one in searched if one.family == family]
        spent = [median(one.milliseconds for one in of_family if one.policy == name) for name in names]
        lines.append([family, *(short(one, 2) for one in spent)])
    return f"""Milliseconds of a search, median, in one thread of a busy machine. An edge evaluation is one look at a
bitmap here; the time of your own edge checker is to be added for each evaluation. Compare the columns of a row; the
families were run one after the other.

{grid(["family", *names], lines)}
"""


def pairs(records: Sequence[Record]) -> str:
    lines = []
    for family in by_family(records):
        found = [paired(records, family, one, other) for one, other in PAIRS]
        lines.append([family, *found])
    headings = [f"`{one}` - `{other}`" for one, other in PAIRS]
    return f"""## World by world

Mean difference on the same worlds, with its interval: of expansions, and of edge evaluations between lazy policies. A
difference is significant where the interval does not contain 0; such entries are bold.

{sheet(["family", *headings], lines)}"""


def paired(records: Sequence[Record], family: str, one: str, other: str) -> str:
    difference = counts(records, family, one) - counts(records, family, other)
    low, high = bootstrap_interval(difference, np.random.default_rng(0))
    text = f"{difference.mean():.1f} ({low:.1f} to {high:.1f})"
    return f"**{text}**" if low > 0 or high < 0 else text


def counts(records: Sequence[Record], family: str, policy: str) -> FloatArray:
    """What a policy is compared by, in the order of the worlds."""
    chosen = [one for one in records if (one.family, one.policy) == (family, policy) and one.outcome != UNSOLVABLE]
    by_edges = policy in BY_EDGES
    return np.array([one.edge_evaluations if by_edges else one.expansions for one in chosen], np.float64)


def rows(table: Table, names: Sequence[str], figure: Figure, text: Text, bold: bool = True) -> list[list[str]]:
    """A row for each family, with the smallest figure bold."""
    found = []
    for family, policies in table.items():
        figures = [figure(policies[name]) for name in names]
        texts = [text(policies[name]) for name in names]
        found.append([family, *marked(figures, texts, bold)])
    return found


def with_mean(
    table: Table, names: Sequence[str], figure: Figure, digits: int = 3, bold: bool = True
) -> list[list[str]]:
    """The figures of each family, and their mean over families."""
    means = [mean(figure(policies[name]) for policies in table.values()) for name in names]
    last = ["mean", *marked(means, [short(one, digits) for one in means], bold)]
    return [*rows(table, names, figure, lambda one: short(figure(one), digits), bold), last]


def short(figure: float, digits: int) -> str:
    """The figure with so many digits after the point, or with one if it is large."""
    return f"{figure:.{digits if figure < 10 else 1}f}"


def marked(figures: Sequence[float], texts: Sequence[str], bold: bool) -> list[str]:
    least = min(figures)
    return [f"**{text}**" if bold and one == least else text for one, text in zip(figures, texts, strict=True)]


def wins(table: Table, names: Sequence[str], figure: Figure) -> str:
    """In how many families each policy has the smallest figure, in words."""
    best = [min(names, key=lambda name: figure(policies[name])) for policies in table.values()]
    found = [f"`{name}` in {best.count(name)}" for name in names if name in best]
    return f"The fewest: {', '.join(found)} of {len(best)} families."


def with_interval(value: float, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{value:.{1 if value < 1000 else 0}f} ({low:.0f}-{high:.0f})"


def grid(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table whose headings are names of policies."""
    return sheet([headings[0], *(f"`{name}`" for name in headings[1:])], lines)


def sheet(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = "|---|" + "---:|" * (len(headings) - 1)
    return "\n".join([_row(headings), rule, *map(_row, lines)])


def _row(texts: Sequence[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def draw(table: Table, folder: Path) -> None:
    """Write both figures."""
    by_vertices = {
        name: [ratio(one[name].mean_expansions, one[name].ci95, one[ORACLE].mean_expansions) for one in table.values()]
        for name in BY_VERTICES
    }
    label = "expansions / expansions of the oracle"
    draw_results(list(table), by_vertices, label, folder / "results_expansions.png")
    by_edges = {}
    for name in ["a_star_octile", "optimistic", *BY_EDGES]:
        chosen = [policies[name] for policies in table.values()]
        by_edges[name] = [
            ratio(
                one.mean_edge_evaluations,
                one.ci95_edge_evaluations,
                one.mean_edge_evaluations / one.ratio_to_fewest_edges,
            )
            for one in chosen
        ]
    label = "edge evaluations / fewest edges of a path"
    draw_results(list(table), by_edges, label, folder / "results_evaluations.png")


def ratio(value: float, interval: tuple[float, float], limit: float) -> tuple[float, float, float]:
    """The value and its interval, divided by a limit."""
    return value / limit, interval[0] / limit, interval[1] / limit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["records", "page"])
    parser.add_argument("--records", type=Path, default=Path("docs/results"), help="the folder of the records")
    parser.add_argument("--out", type=Path, default=Path("docs/results.md"), help="the page")
    parser.add_argument("--worlds", type=int, default=WORLDS, help="worlds of each family")
    parser.add_argument("--families", default=",".join(FAMILIES))
    arguments = parser.parse_args()
    if arguments.what == "records":
        write_all(arguments.records, arguments.worlds, arguments.families.split(","))
    else:
        records = read_all(arguments.records)
        write_text(arguments.out, page(records))
        draw(by_family(records), arguments.out.parent)


if __name__ == "__main__":
    main()
