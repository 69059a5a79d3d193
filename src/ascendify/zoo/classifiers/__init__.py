"""What the networks that say what a picture shows share: data, loss, metrics, prediction.

A network of this kind adds its model, its presets and its log lines.
"""
