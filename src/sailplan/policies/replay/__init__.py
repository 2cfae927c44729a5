"""Replays of recorded searches that sample open vertices or transitions."""

from sailplan.policies.replay.samples import draw_steps, take_samples
from sailplan.policies.replay.transitions import Transitions, look_at_steps

__all__ = ["Transitions", "draw_steps", "look_at_steps", "take_samples"]
