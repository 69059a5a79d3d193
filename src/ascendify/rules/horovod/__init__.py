"""Horovod scripts: replace ranks, optimizer, broadcast and collectives by HCCL's."""
