"""Rules for PyTorch: from torch.cuda to torch_npu."""
