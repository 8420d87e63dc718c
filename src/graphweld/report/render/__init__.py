"""One file a format. A renderer takes a `Report` and adds no fact to it."""
