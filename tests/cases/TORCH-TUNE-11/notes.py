#### sequences of a batch
import torch
from torch.nn.utils.rnn import pad_sequence
def collate(rows):
    return pad_sequence(rows, batch_first=True)
#### findings
4 info
#### tokens of a batch
import torch
from transformers import AutoTokenizer, DataCollatorWithPadding
tokenizer = AutoTokenizer.from_pretrained(name)
a = tokenizer(texts, padding=True, return_tensors="pt")
b = tokenizer.pad(rows, padding="longest")
c = DataCollatorWithPadding(tokenizer)
#### findings
4 info
6 info
