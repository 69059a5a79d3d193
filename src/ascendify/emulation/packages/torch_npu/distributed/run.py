"""torch_npu_run: torchrun, which needs no faster store on one machine."""

from torch.distributed.run import main

if __name__ == "__main__":
    main()
