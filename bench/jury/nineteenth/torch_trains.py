"""Learns how late trains will be: a network of 48 residual blocks tells from 256 numbers about a train and the line
ahead how late it will be at the next 16 stations, and is trained on 6144 trains a round by the optimiser Adan.

At fault: the optimiser goes through 291 arrays of weights one by one, with 13 small operations for each, which the GPU
carries out faster than the host launches them; use operations on lists of arrays, so a step is a few dozen kernels.
The pattern is that of sail-sg/Adan, issue 1 (operations on lists proposed, since the optimiser is slower than those of
the library), and facebookresearch/schedule_free, pull request 10: a step of 65 ms instead of 85."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

TRAINS, NUMBERS, STATIONS, WIDTH, INNER, BLOCKS, SETS, ROUNDS = 6144, 256, 16, 512, 1024, 48, 8, 120

torch.set_float32_matmul_precision("high")


class Adan(torch.optim.Optimizer):
    """Averages of gradients, of their changes, and of the squares of both."""
    def __init__(self, weights, rate=1e-6, shares=(0.02, 0.08, 0.01), small=1e-8, decay=0.02):
        super().__init__(weights, dict(rate=rate, shares=shares, small=small, decay=decay))

    def lists(self, group):
        weights = [weight for weight in group["params"] if weight.grad is not None]
        gradients = [weight.grad for weight in weights]
        for weight in weights:
            if not self.state[weight]:
                self.state[weight] = {"mean": torch.zeros_like(weight), "change": torch.zeros_like(weight),
                                      "square": torch.zeros_like(weight), "before": weight.grad.clone()}
        kept = ([self.state[weight][name] for weight in weights] for name in ("mean", "change", "square", "before"))
        return weights, gradients, *kept

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            self.update(group, *self.lists(group))

    def update(self, group, weights, gradients, means, changes, squares, befores):
        raise NotImplementedError


class AdanByWeight(Adan):
    def update(self, group, weights, gradients, means, changes, squares, befores):
        (first, second, third), rate, small = group["shares"], group["rate"], group["small"]
        for weight, gradient, mean, change, square, before in zip(weights, gradients, means, changes, squares, befores):
            step = gradient - before  # fault
            mean.lerp_(gradient, first)  # fault
            change.lerp_(step, second)  # fault
            step.mul_(1 - second).add_(gradient)  # fault
            square.mul_(1 - third).addcmul_(step, step, value=third)  # fault
            root = square.sqrt().add_(small)  # fault
            weight.addcdiv_(mean, root, value=-rate)  # fault
            weight.addcdiv_(change, root, value=-rate * (1 - second))  # fault
            weight.div_(1 + rate * group["decay"])  # fault
            before.copy_(gradient)  # fault


class AdanByLists(Adan):
    def update(self, group, weights, gradients, means, changes, squares, befores):
        (first, second, third), rate, small = group["shares"], group["rate"], group["small"]
        steps = torch._foreach_sub(gradients, befores)
        torch._foreach_lerp_(means, gradients, first)
        torch._foreach_lerp_(changes, steps, second)
        torch._foreach_mul_(steps, 1 - second)
        torch._foreach_add_(steps, gradients)
        torch._foreach_mul_(squares, 1 - third)
        torch._foreach_addcmul_(squares, steps, steps, third)
        roots = torch._foreach_sqrt(squares)
        torch._foreach_add_(roots, small)
        torch._foreach_addcdiv_(weights, means, roots, -rate)
        torch._foreach_addcdiv_(weights, changes, roots, -rate * (1 - second))
        torch._foreach_div_(weights, 1 + rate * group["decay"])
        torch._foreach_copy_(befores, gradients)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

    def forward(self, state):
        return state + self.down(functional.silu(self.up(self.norm(state))))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.head = nn.Linear(NUMBERS, WIDTH, bias=False), nn.Linear(WIDTH, STATIONS)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))

    def forward(self, trains):
        return self.head(self.blocks(self.start(trains)))


def running(optimise):
    torch.manual_seed(1)
    network = Network().to("cuda")
    trains = torch.randn(SETS, TRAINS, NUMBERS, device="cuda")
    late = torch.rand(SETS, TRAINS, STATIONS, device="cuda").cumsum(-1)
    optimiser = optimise(network.parameters())
    losses, number = torch.zeros((), device="cuda"), [0]

    def one_round():
        own = number[0] % SETS
        loss = functional.smooth_l1_loss(network(trains[own]), late[own])
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        losses.add_(loss.detach())
        number[0] += 1

    return one_round, lambda: losses.item(), ROUNDS


run_case(lambda: running(AdanByWeight), lambda: running(AdanByLists))
