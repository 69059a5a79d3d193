"""BiT (Big Transfer): a ResNet without batch norm that is trained once and fine-tuned quickly."""
