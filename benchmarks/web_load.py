"""How does the server of the web page behave under load? Many clients search at once, and repeat what is refused.

python benchmarks/web_load.py [--searches 2000] [--clients 50] [--policy optimistic] [--side 201] [--queue N ...]
python benchmarks/web_load.py --memory lazy optimistic a_star_octile --side 1024 [--without-path]
"""

from __future__ import annotations

import argparse
import itertools
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sailplan.datasets import FAMILIES, World
from sailplan.evaluation.player import describe_map
from web_server import Server, started


@dataclass
class Log:
    statuses: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    """Of the answers with status 200."""
    seconds_with_waits: list[float] = field(default_factory=list)
    """From the first attempt of each search to its answer."""
    memory: dict[int, float] = field(default_factory=dict)
    """MiB by the number of searches done."""
    lock: threading.Lock = field(default_factory=threading.Lock)


def _search(server: Server, body: dict[str, Any], log: Log, marks: set[int]) -> None:
    """Search once; a client that is refused tries again after the time that the server names."""
    began = time.perf_counter()
    while True:
        sent = time.perf_counter()
        try:
            answer = server.ask("POST", "/api/search", body)
            status, wait = str(answer.status), float(answer.headers.get("retry-after", "nan"))
        except OSError as error:
            status, wait = type(error).__name__, float("nan")
        now = time.perf_counter()
        with log.lock:
            log.statuses[status] += 1
            if status == "200":
                log.seconds.append(now - sent)
                log.seconds_with_waits.append(now - began)
                if len(log.seconds) in marks:
                    log.memory[len(log.seconds)] = server.memory()
        if status != "429":
            return
        time.sleep(wait)


def run(server: Server, tasks: list[dict[str, Any]], searches: int, clients: int) -> Log:
    log, tickets = Log(), iter(range(searches))
    marks = {searches * part // 4 for part in range(1, 5)}
    guard = threading.Lock()

    def client() -> None:
        while True:
            with guard:
                ticket = next(tickets, None)
            if ticket is None:
                return
            _search(server, tasks[ticket % len(tasks)], log, marks)

    log.memory[0] = server.memory()
    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return log


def _tasks(server: Server, policy: str, side: int) -> list[dict[str, Any]]:
    return [
        {**server.task(family, seed, side), "policy": policy} for seed, family in itertools.product(range(2), FAMILIES)
    ]


def _report(log: Log, seconds: float) -> None:
    times, whole = np.array(log.seconds), np.array(log.seconds_with_waits)
    print(f"  answers     {dict(sorted(log.statuses.items()))} in {seconds:.1f} s, {len(times) / seconds:.0f} a second")
    for name, values in (("one answer", times), ("with waits", whole)):
        middle, late, last = np.quantile(values, [0.5, 0.95, 1.0])
        print(f"  {name}  median {middle:.3f} s, 95 % {late:.3f} s, longest {last:.3f} s")
    memory = ", ".join(f"{mib:.0f} MiB at {count}" for count, mib in sorted(log.memory.items()))
    print(f"  memory      {memory}")


def _without_path(side: int) -> dict[str, Any]:
    """Return an empty map whose goal is behind a wall, so that a search for it sees every other cell."""
    blocked = np.zeros((side, side), bool)
    blocked[side - 24 :, side - 24] = blocked[side - 24, side - 24 :] = True
    return {"map": describe_map(World(blocked)), "start": [0, 0], "goal": [side - 1, side - 1]}


def _measure_memory(policies: list[str], side: int, without_path: bool) -> None:
    """Print what one search on a large map needs beyond the memory of the server, by policy."""
    for policy in policies:
        with started("--workers", "1", "--max-cells", str(side * side)) as server:
            assert (
                server.ask("POST", "/api/search", {**server.task("forest", 0), "policy": policy}, seconds=600).status
                == 200
            )
            large = _without_path(side) if without_path else server.task("forest", 0, side)
            task = {**large, "policy": policy}
            server.peak_memory()
            before, began = server.memory(), time.perf_counter()
            answer = server.ask("POST", "/api/search", task, seconds=600)
            seconds, grown = time.perf_counter() - began, server.peak_memory() - before
            facts = answer.value["facts"]
            print(
                f"{policy} on {side} x {side}: {facts['outcome']}, {facts['expansions']} expansions, "
                f"{facts['edge_evaluations']} evaluations, search {facts['seconds']:.2f} s, answer {seconds:.2f} s of "
                f"{len(answer.body) / 2**20:.1f} MiB, {grown:.0f} MiB more, {grown * 2**20 / side**2:.0f} bytes a cell"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--searches", type=int, default=2000)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--policy", default="optimistic")
    parser.add_argument("--side", type=int, default=201)
    parser.add_argument("--queue", type=int, nargs="*", default=[64, 16])
    parser.add_argument("--memory", nargs="+", metavar="POLICY", help="instead, the memory of one search per policy")
    parser.add_argument("--without-path", action="store_true", help="with --memory: on a map that has no path")
    given = parser.parse_args()
    if given.memory:
        _measure_memory(given.memory, given.side, given.without_path)
        return
    failed = False
    for queue in given.queue:
        with started("--queue", str(queue)) as server:
            tasks = _tasks(server, given.policy, given.side)
            # Warm-up: the first search of a kind compiles.
            for task in tasks:
                assert server.ask("POST", "/api/search", task, seconds=300).status == 200
            print(f"{given.policy} on {given.side} x {given.side}, {given.clients} clients, queue {queue}:")
            began = time.perf_counter()
            log = run(server, tasks, given.searches, given.clients)
            _report(log, time.perf_counter() - began)
            failed |= set(log.statuses) - {"200", "429"} != set() or log.statuses["200"] != given.searches
    raise SystemExit(int(failed))


if __name__ == "__main__":
    main()
