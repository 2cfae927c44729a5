"""Learn which vertex a search should expand next, and find paths with as few expansions as possible.

One folder per stage: `worlds`, `graphs`, `search`, `oracle`, `policies`, `evaluation`; import from these.
"""

__version__ = "0.1.0"
