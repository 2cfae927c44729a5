"""Plan on a map with three planners, and draw what each search did."""

from __future__ import annotations

import sys
from pathlib import Path

import sailplan


def main(folder: Path) -> None:
    """Compare three planners on the map given, or on a generated one."""
    world = (
        sailplan.read_world(sys.argv[1])
        if len(sys.argv) > 1
        else sailplan.generate_world("bugtrap_forest", seed=1, index=0)
    )
    for policy in ("optimistic", "a_star_octile", "mha_star"):
        plan = sailplan.plan(world, policy=policy, robot_radius=2)
        print(f"{policy:14} {plan.outcome:14} cost {plan.cost:8.2f}  {plan.expansions:6} expansions")
        for note in plan.notes:
            print(f"  note: {note}")
        plan.save(folder / f"{policy}.png")
        plan.to_csv(folder / f"{policy}.csv")
    print(f"pictures and paths in {folder}")


if __name__ == "__main__":
    main(Path("my_pictures"))
