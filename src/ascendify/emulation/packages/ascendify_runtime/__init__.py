"""What the stand-ins share: ranks, collectives, findings."""
