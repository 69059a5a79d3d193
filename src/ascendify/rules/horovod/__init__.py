"""Horovod scripts: ranks, optimizer, broadcast and collectives become HCCL."""
