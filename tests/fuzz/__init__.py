"""Random programs, compiled and compared with plain Python. `python -m tests.fuzz --help` runs them without an end."""
