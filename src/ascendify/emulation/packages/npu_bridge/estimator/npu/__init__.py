"""Configuration, Estimator, hooks and optimizers of the NPU."""
