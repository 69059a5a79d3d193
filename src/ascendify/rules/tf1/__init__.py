"""TensorFlow 1.15 scripts: sessions, Estimators, data, operators, precision, devices."""
