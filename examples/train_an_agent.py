"""Train a reinforcement-learning agent to steer a search, then run it as a policy beside the others.

Needs `pip install 'sailplan[gym,rl]'`, and a few minutes on two cores; `--steps` says how many steps to train for.
"""

from __future__ import annotations

import argparse

import gymnasium
import numpy as np
import torch
from rich.console import Console
from sb3_contrib import MaskablePPO

from sailplan.core import Limits
from sailplan.environment import AgentPolicy, GraphSearch
from sailplan.evaluation import Choice, load_tasks, run_benchmark, summarise
from sailplan.evaluation.sheets import rich_table
from sailplan.evaluation.tables import family_sheet
from sailplan.policies import load_policy

FAMILY, SIZE, LONGEST = "alternating_gaps", 61, 2000


class RandomAgent:
    """Chooses any candidate that there is."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def predict(self, observation: object, action_masks: np.ndarray, deterministic: bool = False) -> tuple[int, None]:
        """Draw an action."""
        return int(self._rng.choice(np.flatnonzero(action_masks))), None


def train(steps: int) -> tuple[MaskablePPO, GraphSearch]:
    """An agent trained on worlds of one family, and the environment that it was trained in."""
    env = gymnasium.make("sailplan/GraphSearch-v0", data=FAMILY, size=SIZE, max_expansions=LONGEST)
    torch.set_num_threads(1)  # faster for a network this small
    # The return is minus the expansions: thousands, where a network learns best from numbers around one.
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
    """Train, compare with random choice on new worlds, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=60_000)
    parser.add_argument("--worlds", type=int, default=30, help="to compare on; none of them is trained on")
    arguments = parser.parse_args()
    agent, env = train(arguments.steps)

    policies = {
        "random attractor": AgentPolicy(RandomAgent(seed=0), env.view),
        "agent": AgentPolicy(agent, env.view),
        "h_euc": load_policy("h_euc"),
        "oracle": load_policy("oracle"),
    }
    tasks = load_tasks(FAMILY, Choice(split="test", limit=arguments.worlds, size=SIZE))
    summaries = summarise(run_benchmark(policies, tasks, Limits(expansions=LONGEST)))
    Console().print(rich_table(family_sheet(summaries)))
    by_random, by_agent = (summary.mean_expansions for summary in summaries[:2])
    print(f"mean expansions on new worlds: random {by_random:.0f}, agent {by_agent:.0f}: {by_agent / by_random:.2f}")


if __name__ == "__main__":
    main()
