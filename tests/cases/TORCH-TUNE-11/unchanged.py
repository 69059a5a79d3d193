#### a fixed length, or few lengths
import torch
from transformers import AutoTokenizer, DataCollatorWithPadding
tokenizer = AutoTokenizer.from_pretrained(name)
a = tokenizer(texts, padding="max_length", max_length=128)
b = tokenizer(texts, padding=True, pad_to_multiple_of=64)
c = DataCollatorWithPadding(tokenizer, pad_to_multiple_of=64)
d = tokenizer(texts, padding=False)
e = tokenizer(texts)
#### findings
#### other functions of these names, and padding of convolutions
import torch
from mine import pad_sequence
from torch import nn
a = pad_sequence(rows)
b = nn.Conv1d(4, 4, 3, padding=True)
c = nn.functional.pad(x, (0, 1))
#### findings
