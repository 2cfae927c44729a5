"""Fuzzing: random inputs for searches, readers, model files, the command line and run folders.

`make fuzz` runs it for some minutes. `python -m fuzz --help` lists the options.
"""
