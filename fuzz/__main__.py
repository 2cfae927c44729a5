"""Fuzz the library: `python -m fuzz --minutes 5`; exit code 1 if there is a finding."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from fuzz.driver import Tally, run
from fuzz.targets import TARGETS, entry_of
from fuzz.worker import Finding, check_one


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="time of all targets together (default: 5)")
    parser.add_argument("--targets", default=",".join(TARGETS), help=f"names separated by commas: {', '.join(TARGETS)}")
    parser.add_argument("--seed", type=int, help="decides all inputs (default: a random one, which is printed)")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes (default: 2)")
    parser.add_argument("--inputs", type=int, default=sys.maxsize, help="most inputs of each target")
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), help="folder of the findings")
    parser.add_argument("--json", type=Path, help="file for the counts")
    parser.add_argument("--only", type=int, help="check only the input of this number, in this process")
    given = parser.parse_args()
    names = given.targets.split(",")
    unknown = [name for name in names if name not in TARGETS and ":" not in name]
    if unknown:
        parser.error(f"no target {unknown[0]!r}; there are {', '.join(TARGETS)}")
    seed = secrets.randbelow(2**31) if given.seed is None else given.seed
    print(f"seed {seed}")
    if given.only is not None:
        return _check_only(names[0], seed, given.only)
    out = given.out / str(seed)
    tallies = run(names, seed=seed, minutes=given.minutes, inputs=given.inputs, jobs=given.jobs, out=out, tell=_tell)
    findings = [json.loads(file.read_text()) for file in sorted(out.glob("*.json"))]
    for finding in findings:
        print(f"finding: {finding['target']}: {finding['place']}: {finding['message'][:200]}\n  {finding['command']}")
    if given.json:
        given.json.write_text(json.dumps(_facts(seed, given.jobs, tallies, findings), indent=2) + "\n")
    print(
        f"{sum(one.inputs for one in tallies)} inputs, {len(findings)} faults{f', saved in {out}' if findings else ''}"
    )
    return int(bool(findings))


def _check_only(name: str, seed: int, number: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        accepted, finding = check_one(entry_of(name).make(Path(folder)), name, seed, number)
    print(finding or ("accepted" if accepted else "refused"))
    return int(isinstance(finding, Finding))


def _facts(seed: int, jobs: int, tallies: list[Tally], findings: list[dict[str, object]]) -> dict[str, object]:
    rows = [{**asdict(one), "faults": sum(found["target"] == one.target for found in findings)} for one in tallies]
    return {"seed": seed, "jobs": jobs, "targets": rows, "findings": findings}


def _tell(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
