"""torch_npu_run: the same as torchrun; a faster store is not needed on one machine."""

from torch.distributed.run import main

_main = main
"""Entry point of the command of an installed torch_npu, which imports this package instead."""

if __name__ == "__main__":
    main()
