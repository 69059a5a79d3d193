"""What tests share: commands and processes, made-up machines and servers, cases and examples.

A test imports from here and nothing here is a test. Each module says in its first line what it
is for; ``interpreters`` is a plugin of pytest (see pyproject.toml) with fixtures for every test.
"""
