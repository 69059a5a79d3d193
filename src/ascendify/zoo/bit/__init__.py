"""BiT (Big TransferSettings): a ResNet without batch norm that is trained once and fine-tuned quickly."""
