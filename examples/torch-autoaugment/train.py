import argparse
import os
import time
from collections import OrderedDict

import torch
import torch.backends.cudnn as cudnn
import torch.nn as nn
import torch.optim as optim
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader

import utils
from dataset import Drawings
from models.wideresnet import WideResNet


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument('--name', default='wrn')
    parser.add_argument('--depth', default=10, type=int)
    parser.add_argument('--width', default=1, type=int)
    parser.add_argument('--cutout', default=False, type=utils.str2bool)
    parser.add_argument('--auto-augment', default=False, type=utils.str2bool)
    parser.add_argument('--epochs', default=2, type=int)
    parser.add_argument('--batch-size', default=32, type=int)
    parser.add_argument('--samples', default=256, type=int)
    parser.add_argument('--lr', default=0.1, type=float)
    parser.add_argument('--momentum', default=0.9, type=float)
    parser.add_argument('--weight-decay', default=5e-4, type=float)
    parser.add_argument('--nesterov', default=True, type=utils.str2bool)
    parser.add_argument('--workers', default=0, type=int)
    parser.add_argument('--gpu', default=0, type=int, help='index of the GPU')
    parser.add_argument('--seed', default=1, type=int)
    return parser.parse_args()


def train(args, train_loader, model, criterion, optimizer):
    losses, scores = utils.AverageMeter(), utils.AverageMeter()
    model.train()
    for images, labels in train_loader:
        images = images.cuda(non_blocking=True)
        labels = labels.cuda(non_blocking=True)

        output = model(images)
        loss = criterion(output, labels)

        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

        acc = utils.accuracy(output, labels)[0]
        losses.update(loss.item(), images.size(0))
        scores.update(acc.item(), images.size(0))
    return OrderedDict([('loss', losses.avg), ('acc', scores.avg)])


def validate(args, val_loader, model, criterion):
    losses, scores = utils.AverageMeter(), utils.AverageMeter()
    model.eval()
    with torch.no_grad():
        for images, labels in val_loader:
            images, labels = images.cuda(), labels.cuda()
            output = model(images)
            loss = criterion(output, labels)
            acc = utils.accuracy(output, labels)[0]
            losses.update(loss.item(), images.size(0))
            scores.update(acc.item(), images.size(0))
    return OrderedDict([('loss', losses.avg), ('acc', scores.avg)])


def main():
    args = parse_args()
    folder = os.path.join('results', args.name)
    os.makedirs(folder, exist_ok=True)

    utils.seed_everything(args.seed)
    cudnn.benchmark = True
    torch.cuda.set_device(args.gpu)
    print('training on', utils.gpu_info())

    train_set = Drawings(args.samples, True, args.auto_augment, args.cutout, seed=0)
    val_set = Drawings(args.samples // 4, False, seed=1)
    train_loader = DataLoader(
        train_set, batch_size=args.batch_size, shuffle=True, num_workers=args.workers,
        pin_memory=True, drop_last=True)
    val_loader = DataLoader(
        val_set, batch_size=args.batch_size, shuffle=False, num_workers=args.workers,
        pin_memory=True)

    model = WideResNet(args.depth, args.width).cuda()
    if torch.cuda.device_count() > 1:
        model = nn.DataParallel(model)
    criterion = nn.CrossEntropyLoss().cuda()
    optimizer = optim.SGD(
        model.parameters(), lr=args.lr, momentum=args.momentum,
        weight_decay=args.weight_decay, nesterov=args.nesterov)
    scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)

    best_acc = -1.0
    for epoch in range(args.epochs):
        torch.cuda.synchronize()
        start = time.time()
        train_log = train(args, train_loader, model, criterion, optimizer)
        torch.cuda.synchronize()
        seconds = time.time() - start
        val_log = validate(args, val_loader, model, criterion)
        scheduler.step()
        print('Epoch [%d/%d] loss %.4f - acc %.4f - val_loss %.4f - val_acc %.4f (%.0f images/s)' % (
            epoch + 1, args.epochs, train_log['loss'], train_log['acc'], val_log['loss'],
            val_log['acc'], len(train_loader) * args.batch_size / seconds))
        if val_log['acc'] > best_acc:
            best_acc = val_log['acc']
            torch.save(model.state_dict(), os.path.join(folder, 'model.pth'))
    print('best accuracy %.2f, peak memory %.1f MiB' % (
        best_acc, torch.cuda.max_memory_allocated() / 2 ** 20))
    torch.cuda.empty_cache()


if __name__ == '__main__':
    main()
