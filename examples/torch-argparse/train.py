import argparse

import torch
import yaml
from torch import nn

TEXT = """the quick brown fox jumps over the lazy dog; pack my box with five dozen liquor jugs;
how vexingly quick daft zebras jump; sphinx of black quartz, judge my vow; """ * 8


class CharModel(nn.Module):
    def __init__(self, symbols, hidden, layers):
        super().__init__()
        self.embed = nn.Embedding(symbols, hidden)
        self.rnn = nn.LSTM(hidden, hidden, layers, batch_first=True)
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(hidden, symbols)

    def forward(self, x, state=None):
        out, state = self.rnn(self.embed(x), state)
        return self.head(self.dropout(out)), state


def get_device(name):
    if name.startswith('cuda') and not torch.cuda.is_available():
        print('no GPU, falling back to the CPU')
        name = 'cpu'
    return torch.device(name)


def batches(codes, steps, batch_size, length, device):
    for _ in range(steps):
        starts = torch.randint(0, len(codes) - length - 1, (batch_size,))
        rows = torch.stack([codes[s:s + length + 1] for s in starts.tolist()])
        yield rows[:, :-1].to(device), rows[:, 1:].to(device)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--config', default='config.yaml')
    parser.add_argument('--device', default=None, help='cuda, cuda:N or cpu')
    parser.add_argument('--backend', default='cudnn', choices=['cudnn', 'native'])
    args = parser.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)
    device = get_device(args.device or cfg['device'])

    torch.manual_seed(cfg['seed'])
    torch.backends.cudnn.enabled = args.backend == 'cudnn'
    symbols = sorted(set(TEXT))
    codes = torch.tensor([symbols.index(c) for c in TEXT])
    model = CharModel(len(symbols), **cfg['model']).to(device)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=cfg['train']['lr'])
    criterion = nn.CrossEntropyLoss()

    train = cfg['train']
    for step, (x, y) in enumerate(
            batches(codes, train['steps'], train['batch_size'], train['length'], device), 1):
        logits, _ = model(x)
        loss = criterion(logits.flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 8 == 0:
            print('step {} loss {:.4f}'.format(step, loss.item()))

    if device.type == 'cuda':
        print('allocated %d bytes on %s' % (torch.cuda.memory_allocated(device), device))
    torch.save(model.state_dict(), train['save'])

    model.eval()
    state, x = None, codes[:1].view(1, 1).to(device)
    letters = []
    with torch.no_grad():
        for _ in range(20):
            logits, state = model(x, state)
            x = logits[:, -1].argmax(-1, keepdim=True)
            letters.append(symbols[x.item()])
    print(repr(''.join(letters)))


if __name__ == '__main__':
    main()
