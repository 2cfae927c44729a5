"""Compiled loops over arrays: numpy and numba only."""
