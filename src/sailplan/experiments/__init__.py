"""Experiments: trainings and benchmarks put together."""
