#### weights in 8 and 4 bits
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
model = AutoModelForCausalLM.from_pretrained(name, load_in_8bit=True, device_map='auto')
config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4')
#### findings
2 manual
3 manual
#### attention of flash-attn, through a variable and through keys
import torch
from transformers import AutoModel
KIND = 'flash_attention_2'
model = AutoModel.from_pretrained(name, attn_implementation=KIND)
kwargs = {'attn_implementation': 'flash_attention_2'}
kwargs['use_flash_attention_2'] = True
#### findings
4 manual
5 manual
6 manual
#### either of two values
from transformers import AutoModel
kind = 'sdpa'
if fast:
    kind = 'flash_attention_2'
model = AutoModel.from_pretrained(name, attn_implementation=kind)
#### findings
5 possible
#### optimizers of bitsandbytes and apex
from transformers import TrainingArguments
a = TrainingArguments('out', optim='adamw_bnb_8bit')
b = TrainingArguments('out', optim='adamw_apex_fused')
#### findings
2 manual
3 manual
#### defaults of options, of fields and of parameters
import argparse
from dataclasses import dataclass, field
from transformers import TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument('--optim', default='paged_adamw_32bit')
@dataclass
class Arguments(TrainingArguments):
    optim: str = field(default='paged_adamw_8bit')
    load_in_8bit: bool = True
def load(name, *, use_flash_attn=True):
    return name
#### findings
5 manual
8 manual
9 manual
10 manual
#### GPUs of Ray
import ray
import torch
from ray.air import ScalingConfig
@ray.remote(num_gpus=1)
def work():
    pass
scaling = ScalingConfig(num_workers=4, use_gpu=True)
ray.init(num_gpus=count)
#### findings
4 manual
7 manual
8 manual
#### xformers in a pipeline of diffusers
import torch
from diffusers import StableDiffusionPipeline
pipe = StableDiffusionPipeline.from_pretrained(name)
pipe.enable_xformers_memory_efficient_attention()
#### findings
4 manual
#### functions of the GPU build, once a file
import faiss
import torch
resources = faiss.StandardGpuResources()
index = faiss.index_cpu_to_gpu(resources, 0, index)
again = faiss.StandardGpuResources()
#### findings
3 manual
4 manual
#### operators of torchvision
import torch
import torchvision
from torchvision.ops import roi_align
keep = torchvision.ops.nms(boxes, scores, 0.5)
roi_align(x, boxes, 7)
#### findings
4 info
5 info
#### videos decoded on a GPU
import decord
import torch
reader = decord.VideoReader(path, ctx=decord.gpu(0))
#### findings
3 manual
#### optimizers of DeepSpeed that compress gradients
import deepspeed
import torch
from deepspeed.runtime.fp16.onebit.adam import OnebitAdam
config = {"optimizer": {"type": "OneBitAdam", "params": {"lr": 0.1}}}
optimizer = OnebitAdam(model.parameters())
#### findings
4 manual
5 manual
