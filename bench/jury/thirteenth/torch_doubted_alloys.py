"""Trains 16 networks that tell the hardness of alloys from their elements, 2048 alloys each a step; how far the networks
differ tells how far to trust them.

At fault: a loop runs one network after the other, so a step has hundreds of small kernels, each of which fills half of the
GPU, and the GPU waits for the host's launches.
The pattern is that of facebookresearch/mbrl-lib, pull request 27: a layer of all networks is one product of a batch."""
import torch
import torch.nn.functional as F

from case import run_case

NETWORKS, ALLOYS, ELEMENTS, WIDTH, LAYERS, BATCHES, RATE, ROUNDS = 16, 2048, 64, 512, 3, 4, 1e-5, 1500

torch.set_float32_matmul_precision("high")


def made_layers():
    """Weights and biases; the first axis has the networks."""
    sizes = [ELEMENTS] + LAYERS * [WIDTH] + [1]
    return [(torch.randn(NETWORKS, before, after, device="cuda") / before ** 0.5,
             torch.zeros(NETWORKS, 1, after, device="cuda")) for before, after in zip(sizes, sizes[1:])]


def made_alloys():
    """Each network has its own draw of alloys. The hardness is measured with errors."""
    shares = torch.rand(BATCHES, NETWORKS, ALLOYS, ELEMENTS, device="cuda")
    hardness = torch.sin(shares @ torch.randn(ELEMENTS, 1, device="cuda"))
    return shares.unbind(), (hardness + torch.randn_like(hardness)).unbind()


class InTurn:
    def __init__(self, layers):
        self.networks = [[(weight.clone().requires_grad_(), bias[0].clone().requires_grad_()) for weight, bias in network]
                         for network in zip(*(list(zip(*layer)) for layer in layers))]
        self.parameters = [part for network in self.networks for layer in network for part in layer]

    def loss(self, shares, hardness):
        total = 0
        for (*layers, last), own, wanted in zip(self.networks, shares, hardness):  # fault
            for weight, bias in layers:
                own = F.silu(torch.addmm(bias, own, weight))  # fault
            total = total + F.mse_loss(torch.addmm(last[1], own, last[0]), wanted)  # fault
        return total


class Together:
    def __init__(self, layers):
        self.layers = [(weight.requires_grad_(), bias.requires_grad_()) for weight, bias in layers]
        self.parameters = [part for layer in self.layers for part in layer]

    def loss(self, shares, hardness):
        *layers, last = self.layers
        for weight, bias in layers:
            shares = F.silu(torch.baddbmm(bias, shares, weight))
        return F.mse_loss(torch.baddbmm(last[1], shares, last[0]), hardness) * NETWORKS


def training(made):
    torch.manual_seed(1)
    networks = made(made_layers())
    (shares, hardness), state = made_alloys(), [0, None]
    optimiser = torch.optim.Adam(networks.parameters, lr=RATE, fused=True)

    def one_round():
        batch = state[0] % BATCHES
        loss = networks.loss(shares[batch], hardness[batch])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # fault
        optimiser.step()
        state[0] += 1
        state[1] = loss.detach()

    return one_round, lambda: state[1].double().item(), ROUNDS


run_case(lambda: training(InTurn), lambda: training(Together))
