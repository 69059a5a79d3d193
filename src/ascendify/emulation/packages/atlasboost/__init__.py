"""Stand-in for an older way to ask for ranks."""
