import argparse

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class VAE(nn.Module):
    def __init__(self, side=12, hidden=64, latent=4):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(side * side, hidden), nn.ReLU())
        self.mu = nn.Linear(hidden, latent)
        self.logvar = nn.Linear(hidden, latent)
        self.decode = nn.Sequential(
            nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, side * side))

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        if std.is_cuda:
            eps = torch.cuda.FloatTensor(std.size()).normal_()
        else:
            eps = torch.FloatTensor(std.size()).normal_()
        return mu + eps * std

    def forward(self, x):
        h = self.encode(x.flatten(1))
        mu, logvar = self.mu(h), self.logvar(h)
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(recon, x, mu, logvar):
    bce = F.binary_cross_entropy_with_logits(recon, x.flatten(1), reduction='sum')
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return (bce + kld) / x.size(0)


def make_images(samples, side=12):
    row = torch.arange(side).float()
    centre = torch.rand(samples, 2) * side
    distance = (row[None, :, None] - centre[:, :1, None]) ** 2 + (row[None, None] - centre[:, 1:, None]) ** 2
    return (distance < 9).float()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--epochs', type=int, default=2)
    parser.add_argument('--batch-size', type=int, default=16)
    parser.add_argument('--mixed-precision', default='no', choices=['no', 'fp16', 'bf16'])
    parser.add_argument('--accumulate', type=int, default=2)
    args = parser.parse_args()

    accelerator = Accelerator(
        mixed_precision=args.mixed_precision, gradient_accumulation_steps=args.accumulate)
    set_seed(11)
    loader = DataLoader(TensorDataset(make_images(160)), batch_size=args.batch_size, shuffle=True)
    model = VAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=4e-3, total_steps=args.epochs * len(loader) // args.accumulate + 1)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)

    for epoch in range(args.epochs):
        model.train()
        for x, in loader:
            with accelerator.accumulate(model):
                recon, mu, logvar = model(x)
                loss = loss_function(recon, x, mu, logvar)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 5.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
        accelerator.print('epoch %d loss %.4f' % (epoch + 1, loss.item()))

    if torch.cuda.is_available():
        accelerator.print('peak memory', torch.cuda.max_memory_allocated())
    accelerator.wait_for_everyone()
    accelerator.save(accelerator.unwrap_model(model).state_dict(), 'vae.pt')


if __name__ == '__main__':
    main()
