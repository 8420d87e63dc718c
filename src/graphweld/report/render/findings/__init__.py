"""What `graphweld check` found, one file a format. Each takes findings, and adds no fact to them."""
