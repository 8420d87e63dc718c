"""Where a welded program goes: a compiled callable, a report, a file."""
