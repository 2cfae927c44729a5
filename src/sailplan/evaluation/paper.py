"""The published numbers: normalised expansions on the test maps of each family, lower is better."""

from __future__ import annotations

_SAIL = "Learning Heuristic Search via Imitation (CoRL 2017), Fig. 2"
_PHIL = "Learning Graph Search Heuristics (LoG 2022), Table 1"
SOURCES = {
    **dict.fromkeys(("sail", "sl", "cem", "ql", "h_euc", "h_man", "a_star", "mha_star"), _SAIL),
    "bfws": _PHIL,
}
"""Where the numbers of each policy were published."""

PUBLISHED: dict[str, dict[str, float]] = {
    family: dict(zip(SOURCES, scores, strict=True))
    for family, scores in {
        "alternating_gaps": (0.039, 0.432, 0.042, 1.0, 1.0, 1.0, 1.0, 1.0, 0.34),
        "single_bugtrap": (0.158, 0.214, 0.057, 1.0, 0.184, 0.192, 1.0, 0.286, 0.099),
        "shifting_gaps": (0.104, 0.464, 1.0, 1.0, 0.506, 0.589, 1.0, 0.804, 0.206),
        "forest": (0.036, 0.043, 0.048, 0.121, 0.041, 0.043, 1.0, 0.075, 0.039),
        "bugtrap_forest": (0.147, 0.384, 0.182, 1.0, 0.410, 0.337, 1.0, 0.467, 0.149),
        "gaps_and_forest": (0.221, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.401),
        "mazes": (0.103, 0.238, 0.479, 0.399, 0.185, 0.171, 1.0, 0.279, 0.095),
        "multiple_bugtraps": (0.479, 0.480, 1.0, 0.835, 0.648, 0.617, 1.0, 0.876, 0.169),
    }.items()
}
"""By family, then by policy."""
