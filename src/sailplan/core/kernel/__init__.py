"""The compiled search loop and what it is made of: arrays in, arrays out; numpy and numba only."""
