"""Kernels of lazy search."""
