"""An interrupt of the program ends it with the code 130 and one line, at whatever moment it comes."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import pytest

PROGRAM = """
import atexit, os, signal, sys, types

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)

class Finalised:
    def __del__(self):
        interrupt()

commands = types.ModuleType("sailplan.cli.main")
sys.modules["sailplan.cli"] = types.ModuleType("sailplan.cli")
sys.modules["sailplan.cli.main"] = commands
commands.prepare = lambda: None
commands.main = lambda: sys.exit(0)
{change}
from sailplan.__main__ import run
run()
"""

MOMENTS = {
    "while modules are loaded": "commands.prepare = interrupt",
    "in a command": "commands.main = interrupt",
    "in a finaliser, which cannot raise": "commands.main = lambda: Finalised() and None",
    "twice": """
def main():
    try:
        interrupt()
    finally:
        interrupt()
commands.main = main
""",
    "three times while modules are loaded, which take it for another fault": """
def prepare():
    for _ in range(3):
        try:
            interrupt()
        except KeyboardInterrupt:
            pass
    raise ImportError("a module failed to load")
commands.prepare = prepare
""",
    "where it is taken for another fault": """
def main():
    try:
        interrupt()
    except KeyboardInterrupt:
        print("sailplan: interrupted", file=sys.stderr)
        raise ImportError("a module failed to load")
commands.main = main
""",
    "while the interpreter shuts down": "atexit.register(interrupt)",
}


def _run(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell lets what it runs in the background ignore interrupts, and its children with it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_interrupt_is_the_code_130(moment: str) -> None:
    process = _run("-c", PROGRAM.format(change=MOMENTS[moment]))
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130, error
    assert b"Traceback" not in error
    assert error.strip() in (b"sailplan: interrupted", b"")


def test_ignored_interrupts_stay_ignored() -> None:
    change = "signal.signal(signal.SIGINT, signal.SIG_IGN)\ncommands.main = interrupt"
    process = _run("-c", PROGRAM.format(change=change))
    assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 0


def test_other_faults_are_reported() -> None:
    process = _run("-c", PROGRAM.format(change="commands.main = lambda: 1 / 0"))
    assert b"ZeroDivisionError" in process.communicate(timeout=60)[1]
    assert process.returncode == 1


def test_an_interrupt_at_a_random_moment_is_one_line() -> None:
    rng = random.Random(0)
    ready = "import sys; from sailplan.__main__ import run; print('ready', file=sys.stderr, flush=True); run()"
    for _ in range(5):
        process = _run("-c", ready, "policies")
        assert process.stderr is not None
        assert process.stderr.readline() == b"ready\n"
        time.sleep(rng.uniform(0.0, 0.8))
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        assert (process.returncode, error.strip()) in ((130, b"sailplan: interrupted"), (0, b""))
