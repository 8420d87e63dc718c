"""The command line: `main.py`, and one file a verb. Nothing here imports torch until a verb needs it."""
