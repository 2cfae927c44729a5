"""Train a reinforcement learning agent to select vertices, then compare it with other policies.

It needs the extras `gym` and `rl`, and a few minutes on two cores; `--steps` sets the number of training steps.
"""

from __future__ import annotations

import argparse

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO

import sailplan
from sailplan.core import Policy
from sailplan.environment import AgentPolicy, GraphSearch

FAMILY, SIZE, MAX_EXPANSIONS = "alternating_gaps", 61, 2000


class RandomAgent:
    """Selects a random candidate."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def predict(self, observation: object, action_masks: np.ndarray, deterministic: bool = False) -> tuple[int, None]:
        """Draw an action."""
        return int(self._rng.choice(np.flatnonzero(action_masks))), None


def train(steps: int) -> tuple[MaskablePPO, GraphSearch]:
    """Return an agent trained on worlds of one family, and its environment."""
    env = gymnasium.make("sailplan/GraphSearch-v0", data=FAMILY, size=SIZE, max_expansions=MAX_EXPANSIONS)
    torch.set_num_threads(1)  # faster for a network this small
    # The return is minus the number of expansions, often thousands; networks learn best from values around one.
    scaled = gymnasium.wrappers.TransformReward(env, lambda reward: float(reward) / 100.0)
    agent = MaskablePPO(
        "MultiInputPolicy",
        scaled,
        n_steps=min(1024, steps),
        batch_size=256,
        n_epochs=5,
        learning_rate=1e-3,
        seed=0,
        device="cpu",
    )
    agent.learn(steps)
    assert isinstance(env.unwrapped, GraphSearch)
    return agent, env.unwrapped


def main() -> None:
    """Train, compare on new worlds, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=60_000)
    parser.add_argument("--worlds", type=int, default=30, help="number of new worlds to compare on")
    arguments = parser.parse_args()
    agent, env = train(arguments.steps)

    policies: dict[str, str | Policy] = {
        "random attractor": AgentPolicy(RandomAgent(seed=0), env.view),
        "agent": AgentPolicy(agent, env.view),
        "h_euc": "h_euc",
        "oracle": "oracle",
    }
    limits = sailplan.Limits(expansions=MAX_EXPANSIONS)
    evaluation = sailplan.evaluate(FAMILY, policies, split="test", limit=arguments.worlds, size=SIZE, limits=limits)
    print(evaluation)
    by_random, by_agent = (summary.mean_expansions for summary in evaluation.summaries[:2])
    print(
        f"mean expansions on new worlds: random {by_random:.0f}, agent {by_agent:.0f}, ratio {by_agent / by_random:.2f}"
    )


if __name__ == "__main__":
    main()
