#### TF32
from transformers import TrainingArguments
args = TrainingArguments('out', tf32=True, bf16=True)
more = TrainingArguments(
    output_dir='out',
    bf16=True,  # fast
    tf32=use_tf32,
)
#### after
from transformers import TrainingArguments
args = TrainingArguments('out', bf16=True)
more = TrainingArguments(
    output_dir='out',
    bf16=True,  # fast
)
#### findings
2 auto
6 auto
