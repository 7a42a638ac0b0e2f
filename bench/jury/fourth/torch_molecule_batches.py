"""Energies of 256 molecules a round, by a small network.

At fault: places, forces and energy of each molecule are copied to the device one by one, a few hundred bytes at a time.
The pattern is that of pytorch/tensordict, pull requests 814 and 851, which put all tensors into one buffer and copy that."""
import torch

from case import run_case

MOLECULES, ATOMS, BASIS, HIDDEN, ROUNDS = 256, 24, 16, 64, 250
PLACES, OWN = 3 * ATOMS, 6 * ATOMS + 1
NEXT = 1e-3  # what an energy grows by, so that each batch is another one


def made_samples():
    """What a molecule is: places, forces, energy."""
    torch.manual_seed(1)
    return [(3 * torch.rand(ATOMS, 3), torch.randn(ATOMS, 3), torch.rand(1)) for _ in range(MOLECULES)]


def made_network():
    torch.manual_seed(2)
    made = torch.linspace(0, 4, BASIS), torch.randn(BASIS, HIDDEN) / 8, torch.randn(HIDDEN) / 8
    return [tensor.to("cuda") for tensor in made]


def loss_of(network, places, forces, energies):
    centres, first, second = network
    near = torch.exp(-(torch.cdist(places, places).unsqueeze(-1) - centres).square()).sum(2)
    guesses = (torch.tanh(near @ first) @ second).sum(1)
    return (guesses - energies).square().mean() + forces.square().mean()


def one_by_one():
    samples, network, results = made_samples(), made_network(), [None]

    def one_round():
        samples[0][2].add_(NEXT)
        there = [[tensor.to("cuda") for tensor in sample] for sample in samples]  # fault
        places, forces, energies = (torch.stack(kind) for kind in zip(*there))
        results[0] = loss_of(network, places, forces, energies.squeeze(1))

    return one_round, lambda: results[0].item(), ROUNDS


def in_one_buffer():
    packed = torch.stack([torch.cat([tensor.flatten() for tensor in sample]) for sample in made_samples()]).pin_memory()
    network, results = made_network(), [None]

    def one_round():
        packed[0, -1].add_(NEXT)
        there = packed.to("cuda", non_blocking=True)
        places = there[:, :PLACES].unflatten(1, (ATOMS, 3)).contiguous()
        forces, energies = there[:, PLACES:OWN - 1], there[:, -1]
        results[0] = loss_of(network, places, forces, energies)

    return one_round, lambda: results[0].item(), ROUNDS


run_case(one_by_one, in_one_buffer)
