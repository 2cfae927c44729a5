from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextvars import Context
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import psutil
import pytest
from distributed import Client, Future

from sailplan.core.graph import Problem
from sailplan.datasets import GeneratedWorlds, write_png
from sailplan.datasets.labelled import label_problems
from sailplan.errors import ClusterError, ProblemError
from sailplan.learning import train_sail
from sailplan.learning.run_folder import read_metrics
from sailplan.parallel import cluster as clusters
from sailplan.parallel import job as jobs
from sailplan.parallel import run_all, use_cluster
from sailplan.parallel.cluster import Cluster
from sailplan.parallel.job import Job
from sailplan.parallel.packing import Crate, Parcel
from tests.learning.tiny import TINY, assert_same_network, tiny_problems


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with use_cluster("local:2") as started:
        yield started


def test_results_are_in_the_order_of_the_items(cluster: Cluster) -> None:
    offset = 5
    for items in ([], [1], list(range(200)), iter(range(37))):
        expected = list(items) if isinstance(items, list) else list(range(37))
        assert run_all(lambda number: number + offset, items) == [number + offset for number in expected]


def test_several_workers_work(cluster: Cluster) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "_CHUNK_SECONDS", 0.0)
        workers = set(run_all(lambda number: os.getpid(), iter(range(100))))
    assert os.getpid() not in workers
    assert len(workers) == 2
    assert str(cluster).startswith("2 workers at tcp://127.0.0.1:")
    assert "dashboard http://127.0.0.1:" in str(cluster)


def test_each_item_is_reported_here(cluster: Cluster) -> None:
    done: list[int] = []
    run_all(str, range(25), on_done=lambda: done.append(os.getpid()))
    assert done == [os.getpid()] * 25


def test_errors_are_those_of_the_function(cluster: Cluster) -> None:
    def fail(number: int) -> int:
        if number == 7:
            raise ProblemError("seven is blocked")
        return number

    with pytest.raises(ProblemError, match="seven is blocked"):
        run_all(fail, range(20))
    assert run_all(abs, [-1, -2]) == [1, 2]


def test_a_problem_is_sent_once_and_comes_back_as_itself(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []
    submit = Cluster.submit

    def counted(self: Cluster, function: object, content: Sequence[object], *arguments: object) -> object:
        assert function is Crate
        sent.extend(content)
        return submit(self, Crate, content, *arguments)

    monkeypatch.setattr(Cluster, "submit", counted)
    problems = tiny_problems(4, "forest", 21)
    for _ in range(3):
        labelled = label_problems(problems).solvable
    assert [one.problem for one in labelled] == problems
    assert all(one.problem is problem for one, problem in zip(labelled, problems, strict=True))
    assert len(sent) == len(problems)
    # What is labelled is sent once too, and refers to the problems that are there.
    for _ in range(2):
        assert run_all(lambda one: one.problem.goal, labelled) == [problem.goal for problem in problems]
    assert len(sent) == 2 * len(problems)


def test_a_large_function_is_sent_once(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_CHUNK_SECONDS", 0.0)
    sent: list[int] = []
    address = Cluster.address

    def counted(self: Cluster, *parcels: Parcel) -> object:
        sent.extend(len(parcel.data) for parcel in parcels)
        return address(self, *parcels)

    monkeypatch.setattr(Cluster, "address", counted)
    table, problem = np.arange(100_000), tiny_problems(1)[0]
    found = run_all(lambda number: int(table[number]) + problem.start, iter(range(30)))
    assert found == [number + problem.start for number in range(30)]
    assert len(sent) == 2 * 30
    assert max(sent) < 1000


def test_what_is_no_longer_used_is_released(cluster: Cluster) -> None:
    before = len(cluster._sent)
    problems = [Problem(tiny_problems(1)[0].graph, 0, goal) for goal in range(1, 6)]
    run_all(lambda problem: problem.goal, problems)
    assert len(cluster._sent) == before + 5
    del problems
    assert len(cluster._sent) == before


def test_a_training_is_the_same_as_in_one_thread(cluster: Cluster) -> None:
    problems = tiny_problems()
    found = train_sail(problems[:4], problems[4:], TINY, seed=1)
    # In a context of its own no cluster is in use.
    expected = Context().run(lambda: train_sail(problems[:4], problems[4:], TINY, seed=1))
    assert [one.validation_expansions for one in found.rounds] == [one.validation_expansions for one in expected.rounds]
    assert_same_network(found.policy, expected.policy)  # type: ignore[arg-type]


def test_a_killed_worker_changes_nothing(cluster: Cluster, tmp_path: Path) -> None:
    mark = tmp_path / "killed"

    def once(number: int) -> int:
        if number == 11 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number * number

    assert run_all(once, range(40)) == [number * number for number in range(40)]
    assert mark.exists()


def test_a_result_that_is_lost_before_it_is_read_is_waited_for(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost: list[object] = []
    wait = Job._wait

    def lose(job: Job, threads: int) -> list[Future[object]]:
        done = wait(job, threads)
        if not lost:
            # What the scheduler reports if the worker that had the result dies, and when it was computed again.
            state: Any = done[0]._state
            loop: Any = cluster._client.loop
            state.lose()
            lost.append(done[0].status)
            loop.add_timeout(timedelta(seconds=0.5), state.finish)
        return done

    monkeypatch.setattr(Job, "_wait", lose)
    assert run_all(abs, range(-40, 0)) == list(range(40, 0, -1))
    assert lost == ["lost"]


def test_workers_that_are_killed_while_they_start_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    # A worker that takes longer to come back, as it may on a busy machine, is not given up.
    monkeypatch.setenv("DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT", "100ms")
    with use_cluster("local:2") as own:
        helper = run_all(lambda number: os.getppid(), [1])[0]
        for _ in range(12):
            for process in psutil.Process(helper).children():
                if "spawn_main" in "".join(process.cmdline()):
                    process.kill()
            sleep(0.2)
        assert run_all(abs, range(-20, 0)) == list(range(20, 0, -1))
        end = monotonic() + 60
        while len(own.threads()) < 2:
            assert monotonic() < end
            sleep(0.1)


def test_other_versions_are_refused(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "stamp", "Python 2.7")
    with pytest.raises(ClusterError, match=r"a worker has other versions \(Python .*\) than this program"):
        run_all(str, [1])


@pytest.mark.parametrize("where", ["", "local:", "local:0", "local:-1", "local:x", "local:99999", 3, None])
def test_a_cluster_that_is_none_is_refused(where: object) -> None:
    with pytest.raises(ClusterError, match=r"local:N|number of workers"), use_cluster(where):  # type: ignore[arg-type]
        pass


@pytest.mark.parametrize("where", ["127.0.0.1:9", "nowhere", "tcp://127.0.0.1:9", "ftp://127.0.0.1:9"])
def test_an_address_where_nothing_answers(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "_CONNECT_SECONDS", 1)
    before = _open_clients()
    with pytest.raises(ClusterError, match="no scheduler answers there"), use_cluster(where):
        pass
    # The garbage collector must have nothing to close.
    assert _open_clients() <= before


def _open_clients() -> set[str]:
    clients = [one for one in gc.get_objects() if issubclass(type(one), Client)]
    return {one.id for one in clients if one.status not in ("closed", "newly-created")}


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start a scheduler and a worker in processes of their own, as on other machines."""
    file = tmp_path / "scheduler.json"
    options = ("--host", "127.0.0.1", "--no-dashboard")
    processes = [
        _dask("scheduler", "--port", "0", "--scheduler-file", str(file), *options),
        _dask("worker", "--scheduler-file", str(file), "--nthreads", "1", "--no-nanny", *options),
    ]
    while not file.exists() or not file.read_text():
        assert processes[0].poll() is None
        sleep(0.1)
    yield json.loads(file.read_text())["address"], processes[0]
    for process in processes:
        process.kill()
        process.wait()


def _dask(command: str, *options: str) -> subprocess.Popen[bytes]:
    arguments = [sys.executable, "-m", f"distributed.cli.dask_{command}", *options]
    return subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_a_lost_scheduler_is_one_clear_error(
    scheduler: tuple[str, subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(clusters._SETTINGS, "distributed.comm.timeouts.connect", "1s")
    address, process = scheduler
    with use_cluster(address) as found:
        assert str(found).startswith(f"1 worker at {address}")
        assert run_all(abs, [-1, -2]) == [1, 2]
        process.kill()
        with pytest.raises(ClusterError, match=f"the scheduler at {address} is lost; finished rounds are kept"):
            run_all(abs, [-3])


SAILPLAN = [sys.executable, "-m", "sailplan"]
ROUNDS = 40
"""More rounds than a training can finish between its first one and the end of the scheduler."""


def test_a_training_whose_scheduler_is_lost_ends_with_one_line_and_is_resumed(
    scheduler: tuple[str, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    for split, worlds in (("train", 8), ("validation", 4)):
        for index, world in enumerate(GeneratedWorlds("forest", worlds, seed=len(split), width=31, height=31)):
            write_png(world, tmp_path / "maps" / split / f"{index}.png")
    options: list[object] = ["--data", tmp_path / "maps", "--algorithm", "belief", "--rounds", ROUNDS]
    options += ["--vectors", 4, "--worlds-per-vector", 4]
    _sailplan("train", *options, "--out", tmp_path / "whole", "--jobs", 1)

    address, process = scheduler
    command = [*SAILPLAN, "train", *options, "--out", tmp_path / "broken", "--cluster", address]
    with subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as training:
        while not (tmp_path / "broken" / "rounds" / "001.safetensors").exists():
            assert training.poll() is None
            sleep(0.01)
        process.kill()
        out, error = training.communicate(timeout=120)
    assert (training.returncode, out) == (2, "")
    note, *line = error.splitlines()
    assert note.startswith(f"note: cluster: 1 worker at {address}")
    lost = "is lost; finished rounds are kept: --resume continues"
    assert line == [f"sailplan: the scheduler at {address} {lost}"]
    assert 1 <= len(read_metrics(tmp_path / "broken")) < ROUNDS

    _sailplan("train", "--resume", tmp_path / "broken")
    whole, broken = (
        {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.safetensors")}
        for folder in (tmp_path / "whole", tmp_path / "broken")
    )
    assert len(whole) == ROUNDS + 1
    assert broken == whole


def _sailplan(*arguments: object) -> None:
    subprocess.run([*SAILPLAN, *map(str, arguments)], capture_output=True, timeout=300, check=True)


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sailplan\n"
        "from sailplan.parallel import run_all\n"
        "with sailplan.use_cluster('local:1'):\n"
        "    print(run_all(lambda number: 2 * number, [1, 2]))\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    assert (ran.stdout, ran.stderr, ran.returncode) == ("[2, 4]\n", "", 0)


def test_a_task_that_ends_workers_is_an_error(cluster: Cluster) -> None:
    def end(number: int) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(ClusterError, match=r"12 workers died of the same task \(.*end\)"):
        run_all(end, [1])
    assert run_all(abs, [-1, -2]) == [1, 2]


def test_a_local_cluster_ends_with_a_process_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, signal, sailplan\n"
        "with sailplan.use_cluster('local:1') as cluster:\n"
        "    print(cluster, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == -signal.SIGKILL
    port = int(ran.stdout.partition(",")[0].rpartition(":")[2])
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            return
        sleep(0.1)
    raise AssertionError("the scheduler still runs")
