"""Parallel work: threads and processes of this machine, or the workers of a Dask cluster."""

from sailplan.parallel.run import ShowProgress, no_progress, run_all, run_in_processes, show_progress, use_cluster

__all__ = ["ShowProgress", "no_progress", "run_all", "run_in_processes", "show_progress", "use_cluster"]
