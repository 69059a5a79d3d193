"""Keras: the session it needs, distributed training, mixed precision, native keras."""
