#### all the ways to ask for GPUs
import pytorch_lightning as pl
from lightning.pytorch import Trainer
a = pl.Trainer(gpus=2)
b = Trainer(accelerator='gpu', devices=8, precision='16-mixed')
c = pl.Trainer(max_epochs=3)
#### findings
3 manual
4 manual
5 manual
#### a Trainer made from options
from pytorch_lightning.trainer import Trainer
trainer = Trainer.from_argparse_args(options, **more)
#### findings
2 manual
#### arguments from a configuration
import torch
import pytorch_lightning as pl
a = pl.Trainer(logger=logger, **settings)
b = pl.Trainer(accelerator='gpu', **settings)
c = pl.Trainer(accelerator='cpu', **settings)
#### findings
3 possible
4 manual
