"""The belief that knows nothing: what is unseen is free."""

from __future__ import annotations

from dataclasses import dataclass

from sailplan.core.problem import Problem
from sailplan.policies.replanning.beliefs.belief import NEVER, Refresh


@dataclass(frozen=True)
class Optimistic:
    """Charges nothing."""

    name: str = "optimistic"
    refresh: Refresh = NEVER

    def misfit(self, problem: Problem) -> str:
        """It fits every problem."""
        return ""

    def charges(self, problem: Problem) -> None:
        """Nothing is charged."""

    def follow(self, problem: Problem) -> None:
        """Nothing changes."""
