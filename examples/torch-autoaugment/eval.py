import argparse

import torch
from torch.utils.data import DataLoader

import utils
from dataset import Drawings
from models.wideresnet import WideResNet


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('weights')
    parser.add_argument('--depth', default=10, type=int)
    parser.add_argument('--width', default=1, type=int)
    args = parser.parse_args()

    use_cuda = torch.cuda.is_available()
    device = torch.device('cuda:0' if use_cuda else 'cpu')
    model = WideResNet(args.depth, args.width).to(device)
    state = torch.load(args.weights, map_location=device)
    model.load_state_dict({k.replace('module.', ''): v for k, v in state.items()})
    model.eval()

    meter = utils.AverageMeter()
    with torch.no_grad():
        for images, labels in DataLoader(Drawings(64, False, seed=1), batch_size=32):
            if use_cuda:
                images, labels = images.cuda(), labels.cuda()
            assert images.is_cuda == use_cuda
            meter.update(utils.accuracy(model(images), labels)[0].item(), images.size(0))
    print('accuracy %.2f on %s' % (meter.avg, next(model.parameters()).device))


if __name__ == '__main__':
    main()
