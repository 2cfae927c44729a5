"""The command line: all commands."""

from __future__ import annotations

import typer

from sailplan.cli.demo import demo
from sailplan.cli.evaluate import evaluate
from sailplan.cli.help import Command, CommandGroup
from sailplan.cli.main import options
from sailplan.cli.plan import plan
from sailplan.cli.policies import policies
from sailplan.cli.report import report
from sailplan.cli.reproduce import reproduce
from sailplan.cli.roadmap import roadmap
from sailplan.cli.serve import serve
from sailplan.cli.train import train
from sailplan.cli.worlds import worlds

app = typer.Typer(
    name="sailplan",
    cls=CommandGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in (plan, train, evaluate, report, policies, demo, reproduce, serve):
    app.command(cls=Command)(command)
app.add_typer(worlds, name="worlds")
app.add_typer(roadmap, name="roadmap")
app.callback()(options)
