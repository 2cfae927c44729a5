"""The command line."""

from sailplan.cli.main import main

__all__ = ["main"]
