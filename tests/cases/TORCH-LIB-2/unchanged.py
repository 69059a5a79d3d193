#### values that work on NPUs
from transformers import AutoModelForCausalLM, TrainingArguments
model = AutoModelForCausalLM.from_pretrained(name, load_in_8bit=False, attn_implementation='sdpa')
args = TrainingArguments('out', optim='adamw_torch')
#### the user's choice, which is off
from transformers import AutoModelForCausalLM
def load(name, load_8bit=False, use_flash_attn=False):
    return AutoModelForCausalLM.from_pretrained(name, load_in_8bit=load_8bit)
#### a function of the project
import torch
from helper import build
model = build(load_in_8bit=True)
#### file helper.py
def build(load_in_8bit):
    return load_in_8bit
#### GPUs that are no argument of Ray
import torch
def make(num_gpus):
    return Pool(num_gpus=num_gpus)
make(num_gpus=8)
#### a Ray that asks for none
import ray
import torch
ray.init(num_gpus=0)
#### a module of the project with the name of a library
import faiss
import torch
resources = faiss.StandardGpuResources()
#### file faiss.py
class StandardGpuResources:
    pass
#### the host's part of a library
import faiss
import torch
import cv2
index = faiss.IndexFlatL2(8)
image = cv2.imread(path)
#### read, not set
import torch
if args.load_in_8bit:
    print(config['load_in_8bit'])
#### other optimizers of DeepSpeed
import deepspeed
import torch
config = {"optimizer": {"type": "Adam"}, "scheduler": {"type": "WarmupLR"}}
