"""Estimator, optimizers and operators of the NPU."""
