import argparse
import time

import torch
import torch.nn.functional as F
from torch.cuda.amp import GradScaler, autocast
from torch.utils.data import DataLoader, TensorDataset

from model import SoftCount, Sorter
from prefetcher import DataPrefetcher


def make_data(samples, length=8):
    x = torch.randint(0, 10, (samples, length))
    return TensorDataset(x, x.sort(dim=1).values)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--steps', default=20, type=int)
    parser.add_argument('--batch-size', default=32, type=int)
    parser.add_argument('--lr', default=3e-3, type=float)
    parser.add_argument('--clip', default=1.0, type=float)
    parser.add_argument('--amp', action='store_true')
    parser.add_argument('--bf16', action='store_true')
    parser.add_argument('--no-cuda', action='store_true')
    args = parser.parse_args()

    args.cuda = not args.no_cuda and torch.cuda.is_available()
    assert args.cuda, 'mixed precision needs a GPU'
    torch.manual_seed(3)
    torch.cuda.manual_seed(3)
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.benchmark = True

    device = torch.device('cuda', torch.cuda.current_device())
    dtype = torch.float16
    if args.bf16 and torch.cuda.is_bf16_supported():
        dtype = torch.bfloat16

    loader = DataLoader(
        make_data(args.steps * args.batch_size), args.batch_size, shuffle=True, pin_memory=True)
    model = Sorter().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    # init_scale, growth_factor, backoff_factor, growth_interval, enabled
    scaler = GradScaler(2. ** 10, 2.0, 0.5, 8, args.amp and dtype == torch.float16)

    begin = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    begin.record()

    prefetcher = DataPrefetcher(loader, device)
    step = 0
    input, target = prefetcher.next()
    while input is not None:
        step += 1
        optimizer.zero_grad(set_to_none=True)
        with autocast(enabled=args.amp, dtype=dtype):
            logits = model(input)
            loss = F.cross_entropy(logits.transpose(1, 2), target)
            loss = loss + 0.01 * SoftCount.apply(logits)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        scaler.step(optimizer)
        scaler.update()
        if step % 5 == 0:
            print('step %d loss %.4f norm %.3f scale %g' % (
                step, loss.item(), float(norm), scaler.get_scale()))
        input, target = prefetcher.next()

    end.record()
    torch.cuda.synchronize()
    print('%.0f ms on %s' % (begin.elapsed_time(end), torch.cuda.get_device_name()))
    print('time', time.strftime('%H:%M:%S'))
    torch.save({'model': model.state_dict(), 'scaler': scaler.state_dict()}, 'sorter.pt')


if __name__ == '__main__':
    main()
