"""Twenty steps that take the noise from an image, a round.

At fault: the levels of noise lie on the device, and the host asks for them in each step, so that the GPU idles until the next
kernels come.
The pattern is that of huggingface/diffusers, pull request 9475, which finds a wait in each step of a scheduler."""
import torch

from case import run_case

SIZE, STEPS, ROUNDS = 2048, 20, 150


def made_image():
    torch.manual_seed(1)
    return torch.randn(SIZE, SIZE, device="cuda")


def levels():
    return [0.05 * (STEPS - step) for step in range(STEPS + 1)]


def advanced(image, level, following):
    noise = torch.tanh(image / (1 + level))
    guess = image - level * noise
    return guess + following * noise


def asking_the_device():
    start, on_device, results = made_image(), torch.tensor(levels(), device="cuda"), [None]

    def one_round():
        image = start
        for step in range(STEPS):
            level = on_device[step].item()  # fault
            image = advanced(image, level, on_device[step + 1].item())  # fault
            if on_device[step + 1] > 0:  # fault
                image = image * 0.999
        results[0] = image

    return one_round, lambda: results[0].double().abs().sum().item(), ROUNDS


def knowing_them():
    start, on_host, results = made_image(), levels(), [None]

    def one_round():
        image = start
        for step in range(STEPS):
            image = advanced(image, on_host[step], on_host[step + 1])
            if on_host[step + 1] > 0:
                image = image * 0.999
        results[0] = image

    return one_round, lambda: results[0].double().abs().sum().item(), ROUNDS


run_case(asking_the_device, knowing_them)
