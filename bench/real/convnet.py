"""Trains a convolutional network on every fourth pixel of images that worker processes load.

Planted: images come from pageable memory (T01); cropped pixels are inverted as bytes, one a lane (G04)."""
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from steady import steady

CLASSES, SIDE, BATCH = 10, 256, 128


class Images(Dataset):
    def __init__(self, count):
        self.count = count
        random = torch.Generator().manual_seed(0)
        self.kinds = torch.randint(0, 256, (4 * CLASSES, 3, SIDE + 4, SIDE + 4), dtype=torch.uint8, generator=random)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.kinds[index % len(self.kinds)], index % CLASSES


def stage(wide, narrow, stride):
    return nn.Sequential(nn.Conv2d(narrow, wide, 3, stride, 1, bias=False), nn.BatchNorm2d(wide), nn.ReLU(),
                         nn.Conv2d(wide, wide, 3, 1, 1, bias=False), nn.BatchNorm2d(wide), nn.ReLU())


def main():
    epochs = int(sys.argv[1])
    torch.manual_seed(0)
    net = nn.Sequential(stage(32, 3, 1), stage(64, 32, 2), stage(128, 64, 2), stage(256, 128, 2),
                        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, CLASSES)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    loader = DataLoader(Images(64 * BATCH), BATCH, num_workers=4, persistent_workers=True)

    def epoch():
        for images, labels in loader:
            pixels = images.cuda()  # planted: pageable
            inverted = 255 - pixels[..., 2:-2, 2:-2]  # planted: a byte a lane
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(net(inverted[..., ::4, ::4].float().div_(255)), labels.cuda())
            loss.backward()
            optimizer.step()
        return loss.item()

    epoch()
    torch.cuda.synchronize()
    for _ in steady(epochs, torch.cuda.synchronize):
        loss = epoch()
    print("learned" if loss < 10 else f"loss {loss}")


if __name__ == "__main__":
    main()
