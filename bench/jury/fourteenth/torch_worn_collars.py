"""Tells which kinds of animals wore 32 collars: layers see 2048 fixes of each, and the mean of what they found is judged, up to
the last fix at which the collar moved.

At fault: the means are taken in a loop over the collars, and each end of a slice is a number on the device, so the host waits
32 times a round while the GPU idles.
The pattern is that of tier4/autoware-ml, pull request 122, and NVIDIA/TransformerEngine, pull request 3268: no slices that end
where the device says, all samples at once."""
import torch
from torch import nn

from case import run_case

COLLARS, FIXES, SEEN, WIDTH, LAYERS, KINDS, SETS, ROUNDS = 32, 2048, 16, 512, 6, 24, 4, 3500

torch.set_float32_matmul_precision("high")


def made_fixes():
    """The first value of a fix is the speed, which is 0 once the collar is lost."""
    fixes = torch.randn(SETS, COLLARS, FIXES, SEEN, device="cuda")
    lost = torch.randint(FIXES // 4, FIXES + 1, (SETS, COLLARS, 1), device="cuda")
    fixes[..., 0].abs_().mul_(torch.arange(FIXES, device="cuda") < lost)
    return fixes.unbind()


def made_layers():
    sizes = [SEEN] + LAYERS * [WIDTH]
    layers = [part for before, after in zip(sizes, sizes[1:]) for part in (nn.Linear(before, after), nn.ReLU(inplace=True))]
    return nn.Sequential(*layers).to("cuda"), nn.Linear(WIDTH, KINDS).to("cuda")


def means_in_turn(hidden, lengths, order):
    means = []
    for own, length in zip(hidden, lengths):  # fault
        means.append(own[:length].mean(0))  # fault
    return torch.stack(means)


def means_at_once(hidden, lengths, order):
    worn = (order < lengths[:, None]).to(torch.float32)
    return torch.bmm(worn.unsqueeze(1), hidden).squeeze(1) / lengths[:, None]


def telling(means_of):
    torch.manual_seed(1)
    fixes, (layers, judge) = made_fixes(), made_layers()
    order, state = torch.arange(FIXES, device="cuda"), [0, None]

    @torch.no_grad()
    def one_round():
        seen = fixes[state[0] % SETS]
        lengths = ((seen[..., 0] > 0) * (order + 1)).amax(1)
        state[1] = judge(means_of(layers(seen), lengths, order))  # fault
        state[0] += 1

    return one_round, lambda: state[1].double().abs().sum().item(), ROUNDS


run_case(lambda: telling(means_in_turn), lambda: telling(means_at_once))
