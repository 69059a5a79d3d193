"""Code that the stand-ins share: ranks, collectives between processes, findings of strict mode."""
