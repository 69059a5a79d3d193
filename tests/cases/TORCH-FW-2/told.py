#### optimizers for GPUs, and apex
from transformers import Seq2SeqTrainingArguments, TrainingArguments
a = TrainingArguments('out', optim='adamw_apex_fused')
b = TrainingArguments('out', optim='adamw_bnb_8bit', half_precision_backend='apex')
c = Seq2SeqTrainingArguments('out', optim='adamw_torch_fused')
#### findings
2 manual
3 manual
3 manual
4 manual
