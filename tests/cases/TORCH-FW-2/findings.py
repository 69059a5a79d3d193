#### an optimizer for GPUs, and apex
from transformers import Seq2SeqTrainingArguments, TrainingArguments
b = TrainingArguments('out', half_precision_backend='apex')
c = Seq2SeqTrainingArguments('out', optim='adamw_torch_fused')
#### findings
2 manual
3 manual
