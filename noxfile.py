"""The tests on every supported Python that is found: `make test-all`.

Interpreters are looked for on PATH and among the versions of pyenv. Others are named by PYTHONS, a list of their paths.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import nox

VERSIONS = nox.project.python_versions(nox.project.load_toml("pyproject.toml"))
EXTRA = os.environ.get("EXTRA", "test")
"""What is installed of the package. `test` has no torch, which is large; `dev` has everything."""

nox.options.error_on_missing_interpreters = False
nox.options.reuse_venv = "yes"


def folders_of_interpreters() -> list[str]:
    """Return the folders of the interpreters that PYTHONS names, then those of pyenv, the latest release first."""
    named = [Path(python).parent for python in os.environ.get("PYTHONS", "").split(os.pathsep) if python]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    releases = [path for path in pyenv.glob("3.*") if re.fullmatch(r"[0-9.]+", path.name)]
    releases.sort(key=lambda path: [int(part) for part in path.name.split(".")], reverse=True)
    return [str(folder) for folder in [*named, *(release / "bin" for release in releases)]]


# Before the rest of PATH: the shims of pyenv that lie there start only versions that are activated.
os.environ["PATH"] = os.pathsep.join([*folders_of_interpreters(), os.environ["PATH"]])


@nox.session(python=VERSIONS)
def tests(session: nox.Session) -> None:
    """Run the tests; arguments after `--` go to pytest."""
    session.install("-c", "constraints.txt", "-e", f".[{EXTRA}]")
    session.run("python", "-m", "pytest", *session.posargs)
