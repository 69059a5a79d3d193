#### flags of all shapes
python train.py --device cuda --dist-backend nccl
torchrun --nproc_per_node=8 train.py --device=cuda:0 --backend="nccl"
python3 -m pkg.train --eval_device 'cuda' --map-location cuda:1 \
  --device cuda:$LOCAL
#### after
python train.py --device npu --dist-backend hccl
torchrun --nproc_per_node=8 train.py --device=npu:0 --backend="hccl"
python3 -m pkg.train --eval_device 'npu' --map-location npu:1 \
  --device npu:$LOCAL
#### overrides
python train.py model.device=cuda trainer.backend=nccl
#### after
python train.py model.device=npu trainer.backend=hccl
#### findings
1 auto-check
1 auto-check
#### other values, other flags, other programs
python train.py --device cpu --backend gloo --name cuda --cuda
python train.py --data /data/cuda --device $DEVICE
echo --device cuda
# python train.py --device cuda
ls --device cuda
#### under the switch the program keeps its words
python train.py --device cuda --dist-backend nccl
#### with style=transfer
#### an accelerator of Lightning, which has none for NPUs
python train.py trainer.accelerator=gpu model.accelerator=cpu
python train.py fit --trainer.accelerator gpu --accelerator=cuda
#### findings
1 manual
2 manual
2 manual
