#### the CPU, and an accelerator of the user's
import pytorch_lightning as pl
from accelerators import NPUAccelerator
a = pl.Trainer(accelerator='cpu')
b = pl.Trainer(accelerator=NPUAccelerator(), devices=8)
#### other trainers
import torch
class Trainer:
    def __init__(self, gpus):
        self.gpus = gpus
t = Trainer(gpus=1)
#### transformers' Trainer
import torch
from transformers import Trainer
t = Trainer(model=model)
