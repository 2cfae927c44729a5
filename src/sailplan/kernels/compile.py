"""The one way a kernel is compiled: cached on disk, without the interpreter lock."""

from __future__ import annotations

from numba import njit

kernel = njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
"""Decorator of every compiled function of the package."""
