"""Read-only facts about a function: typed side tables, nothing hung on nodes."""
