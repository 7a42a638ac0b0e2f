"""Tells the stages of sleep of 128 sleepers a round: a recurrent layer follows 240 parts of a night, each with 64 signs of heart
and brain, and a last layer names the stage of each part.

At fault: a loop in Python calls a cell for each part of the night, so the GPU gets a few short kernels at a time and waits for
the next ones to be launched; the library's layer takes the whole night in one call.
The pattern is that of dr-costas/SEDLM, issue 1 (a loop of GRUCell is much slower than nn.GRU), and rossumai/OCkRE, issue 2,
where the layer of cuDNN was six times as fast."""
import torch
from torch import nn

from case import run_case

PARTS, SLEEPERS, SIGNS, WIDTH, STAGES, SETS, ROUNDS = 240, 128, 64, 512, 5, 8, 1000

torch.set_float32_matmul_precision("high")
torch.backends.cudnn.allow_tf32 = True


def cell_by_cell(layer):
    cell = nn.GRUCell(SIGNS, WIDTH).to("cuda")
    cell.load_state_dict({name.removesuffix("_l0"): weights for name, weights in layer.state_dict().items()})

    def followed(night):
        state, states = None, []
        for signs in night:
            state = cell(signs, state)  # fault
            states.append(state)
        return torch.stack(states)

    return followed


def night_at_once(layer):
    return lambda night: layer(night)[0]


def staging(made):
    torch.manual_seed(1)
    layer, judge = nn.GRU(SIGNS, WIDTH).to("cuda").eval(), nn.Linear(WIDTH, STAGES).to("cuda")
    nights, state = torch.randn(SETS, PARTS, SLEEPERS, SIGNS, device="cuda").unbind(), [0, None]
    followed = made(layer)

    @torch.no_grad()
    def one_round():
        state[1] = judge(followed(nights[state[0] % SETS]))  # fault
        state[0] += 1

    return one_round, lambda: state[1].double().abs().sum().item(), ROUNDS


run_case(lambda: staging(cell_by_cell), lambda: staging(night_at_once))
