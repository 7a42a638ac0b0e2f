"""The grey values of 16 frames of 1080 x 1920 pixels.

At fault: the channels of a pixel lie side by side, as frames are decoded, and only the view is turned round; the values
of a channel are 12 bytes apart. The pattern is that of pytorch/vision, where issue 4199 and pull request 2483 ask for
contiguous tensors."""
import torch

from case import run_case

FRAMES, HEIGHT, WIDTH, ROUNDS = 16, 1080, 1920, 500


def made_frames():
    torch.manual_seed(1)
    return torch.rand(FRAMES, HEIGHT, WIDTH, 3, device="cuda").permute(0, 3, 1, 2)


def total_of(grey):
    return (grey.double() * (torch.arange(WIDTH, device="cuda") % 97)).sum().item()


def of_views():
    frames = made_frames()
    grey = torch.empty(FRAMES, HEIGHT, WIDTH, device="cuda")

    def one_round():
        torch.mul(frames[:, 0], 0.299, out=grey)  # fault
        grey.add_(frames[:, 1], alpha=0.587)  # fault
        grey.add_(frames[:, 2], alpha=0.114)  # fault

    return one_round, lambda: total_of(grey), ROUNDS


def of_planes():
    frames = made_frames().contiguous()
    grey = torch.empty(FRAMES, HEIGHT, WIDTH, device="cuda")

    def one_round():
        torch.mul(frames[:, 0], 0.299, out=grey)
        grey.add_(frames[:, 1], alpha=0.587)
        grey.add_(frames[:, 2], alpha=0.114)

    return one_round, lambda: total_of(grey), ROUNDS


run_case(of_views, of_planes)
