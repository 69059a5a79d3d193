"""Stand-in for atlasboost, an older interface to rank and size."""
