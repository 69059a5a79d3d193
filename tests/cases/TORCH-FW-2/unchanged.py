#### settings that fit
from transformers import TrainingArguments
a = TrainingArguments('out', fp16=True, optim='adamw_torch', tf32=None)
b = TrainingArguments('out', optim=name)
c = TrainingArguments('out', half_precision_backend='auto')
d = TrainingArguments(**settings)
e = TrainingArguments('out', optim='adamw_torch_npu_fused')
#### a class of the user's
import torch
class TrainingArguments:
    def __init__(self, tf32):
        self.tf32 = tf32
a = TrainingArguments(tf32=True)
#### tf32 elsewhere
import torch
configure(tf32=True)
