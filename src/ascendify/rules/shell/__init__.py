"""What stands around the Python code: launch scripts, requirements files, environments."""
