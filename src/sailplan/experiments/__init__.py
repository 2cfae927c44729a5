"""The experiments of the paper: its table and its figures."""
