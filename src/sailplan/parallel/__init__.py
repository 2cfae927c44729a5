"""Parallel work: threads and processes of this machine, or the workers of a Dask cluster."""

from sailplan.parallel.run import run_all, run_in_processes, use_cluster

__all__ = ["run_all", "run_in_processes", "use_cluster"]
