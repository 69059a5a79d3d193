"""torch_npu_run: torchrun, which needs no faster store on one machine."""

from torch.distributed.run import main

_main = main
"""What the command of a torch_npu that is installed calls, when it finds this package first."""

if __name__ == "__main__":
    main()
