"""The settings of the server: where it listens, and what a request may ask for."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

MIB = 2**20


@dataclass(frozen=True)
class Settings:
    """The settings of the server; `sailplan serve` has an option for most of them."""

    host: str = "127.0.0.1"
    """The address to listen on."""
    cells: int = 1024 * 1024
    """Cells of the largest map."""
    bytes: int = 8 * MIB
    """Largest body of a request."""
    seconds: float = 10.0
    """Time limit of a search."""
    expansions: int = 2_000_000
    """Limit of the expansions of a search."""
    evaluations: int = 20_000_000
    """Limit of the edge evaluations of a search."""
    workers: int = 2
    """Number of searches that run at a time."""
    queue: int = 16
    """Number of requests that may wait for a worker."""
    body_seconds: float = 10.0
    """Time in which the body of a request must arrive."""
    bodies: int = 8
    """The bodies of all requests that are being answered have at most this many times `bytes`."""

    @property
    def is_local(self) -> bool:
        """Whether only programs on this computer can connect."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False
