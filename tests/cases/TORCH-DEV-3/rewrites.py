#### choices of argparse, in a list, a tuple, a set
import argparse

parser = argparse.ArgumentParser()
parser.add_argument('--device', default='npu', choices=['cuda', 'cpu'])
parser.add_argument('--other', choices=("cpu", "cuda"))
parser.add_argument('--third', choices={'cuda'})
#### after
import argparse

parser = argparse.ArgumentParser()
parser.add_argument('--device', default='npu', choices=['cuda', 'npu', 'cpu'])
parser.add_argument('--other', choices=("cpu", "cuda", "npu"))
parser.add_argument('--third', choices={'cuda', 'npu'})
#### findings
4 auto
5 auto
6 auto
#### click, absl and types
import click
from absl import flags
from typing import Literal

Kind = Literal['cpu', 'cuda']
flags.DEFINE_enum('device', 'cpu', ['cpu', 'cuda'], 'where to run')


@click.command()
@click.option('--device', type=click.Choice(['cpu', 'cuda']))
def main(device: Literal["cuda"]):
    pass
#### after
import click
from absl import flags
from typing import Literal

Kind = Literal['cpu', 'cuda', 'npu']
flags.DEFINE_enum('device', 'cpu', ['cpu', 'cuda', 'npu'], 'where to run')


@click.command()
@click.option('--device', type=click.Choice(['cpu', 'cuda', 'npu']))
def main(device: Literal["cuda", "npu"]):
    pass
#### one of the choices is a certain device
import argparse

parser = argparse.ArgumentParser()
parser.add_argument(
    '--device',
    choices=[
        'cuda:0',  # the first
        'cpu',
    ],
)
#### after
import argparse

parser = argparse.ArgumentParser()
parser.add_argument(
    '--device',
    choices=[
        'cuda:0', 'npu:0',  # the first
        'cpu',
    ],
)
#### commands the program starts
import os
import subprocess

import torch

os.system('python train.py --device cuda --epochs 3')
subprocess.run(f"python {script} --eval-device=cuda:{rank}", shell=True)
#### after
import os
import subprocess

import torch

os.system('python train.py --device npu --epochs 3')
subprocess.run(f"python {script} --eval-device=npu:{rank}", shell=True)
#### findings
6 auto-check
7 auto-check
