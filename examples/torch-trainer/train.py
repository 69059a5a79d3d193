import argparse
import os

os.environ['CUDA_VISIBLE_DEVICES'] = os.environ.get('CUDA_VISIBLE_DEVICES', '0')

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed


class Palindromes(Dataset):
    def __init__(self, size, half=4, vocabulary=16, seed=0):
        generator = torch.Generator().manual_seed(seed)
        left = torch.randint(2, vocabulary, (size, half), generator=generator)
        self.labels = torch.arange(size) % 2
        right = torch.where(
            self.labels[:, None] == 1, left.flip(1),
            torch.randint(2, vocabulary, (size, half), generator=generator))
        self.ids = torch.cat([left, right], 1)

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        return {'input_ids': self.ids[index], 'labels': self.labels[index]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--max-steps', type=int, default=12)
    parser.add_argument('--batch-size', type=int, default=16)
    parser.add_argument('--fp16', action='store_true')
    args = parser.parse_args()

    set_seed(5)
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    config = BertConfig(
        vocab_size=16, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=16, num_labels=2, attn_implementation='eager')
    model = BertForSequenceClassification(config).to(device)

    trainer = Trainer(
        model=model,
        args=TrainingArguments(
            output_dir='out', max_steps=args.max_steps, per_device_train_batch_size=args.batch_size,
            per_device_eval_batch_size=args.batch_size, learning_rate=1e-3, fp16=args.fp16,
            logging_steps=4, save_strategy='no', report_to=[], disable_tqdm=True,
            optim='adamw_torch'),
        train_dataset=Palindromes(256),
        eval_dataset=Palindromes(64, seed=1))
    trainer.train()
    print(trainer.evaluate())

    model.eval()
    with torch.no_grad():
        sample = torch.tensor([[2, 3, 4, 5, 5, 4, 3, 2]]).to(device)
        print('palindrome:', model(input_ids=sample).logits.softmax(-1)[0, 1].item())


if __name__ == '__main__':
    main()
