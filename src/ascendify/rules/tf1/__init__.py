"""TensorFlow 1.15 scripts: sessions, Estimators, data, operators, precision, devices."""

from ascendify.rules.tf1._adapter_check import checked as check

__all__ = ["check"]
