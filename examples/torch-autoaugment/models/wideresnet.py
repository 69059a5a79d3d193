import torch.nn as nn
import torch.nn.functional as F


class BasicBlock(nn.Module):
    def __init__(self, in_planes, out_planes, stride, drop_rate=0.3):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(in_planes)
        self.conv1 = nn.Conv2d(in_planes, out_planes, 3, stride=stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(out_planes)
        self.conv2 = nn.Conv2d(out_planes, out_planes, 3, padding=1, bias=False)
        self.drop_rate = drop_rate
        self.shortcut = None
        if stride != 1 or in_planes != out_planes:
            self.shortcut = nn.Conv2d(in_planes, out_planes, 1, stride=stride, bias=False)

    def forward(self, x):
        out = F.relu(self.bn1(x))
        shortcut = x if self.shortcut is None else self.shortcut(out)
        out = F.relu(self.bn2(self.conv1(out)))
        out = F.dropout(out, p=self.drop_rate, training=self.training)
        return self.conv2(out) + shortcut


class WideResNet(nn.Module):
    def __init__(self, depth, width, num_classes=10, drop_rate=0.3):
        super().__init__()
        blocks = (depth - 4) // 6
        planes = [16, 16 * width, 32 * width, 64 * width]
        self.conv = nn.Conv2d(3, planes[0], 3, padding=1, bias=False)
        self.layer1 = self._make_layer(blocks, planes[0], planes[1], 1, drop_rate)
        self.layer2 = self._make_layer(blocks, planes[1], planes[2], 2, drop_rate)
        self.layer3 = self._make_layer(blocks, planes[2], planes[3], 2, drop_rate)
        self.bn = nn.BatchNorm2d(planes[3])
        self.fc = nn.Linear(planes[3], num_classes)

        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode='fan_out', nonlinearity='relu')
            elif isinstance(m, nn.Linear):
                nn.init.zeros_(m.bias)

    def _make_layer(self, blocks, in_planes, out_planes, stride, drop_rate):
        layers = [BasicBlock(in_planes, out_planes, stride, drop_rate)]
        layers += [BasicBlock(out_planes, out_planes, 1, drop_rate) for _ in range(1, blocks)]
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.conv(x)
        x = self.layer3(self.layer2(self.layer1(x)))
        x = F.relu(self.bn(x))
        x = F.adaptive_avg_pool2d(x, 1).flatten(1)
        return self.fc(x)
