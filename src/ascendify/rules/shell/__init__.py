"""Rules about files other than Python code: launch scripts, requirements files, environments."""
