"""Rewriting passes, one construct a file. `pipeline.py` has their order."""
