"""Comparison of stored worlds with what a search knows."""
