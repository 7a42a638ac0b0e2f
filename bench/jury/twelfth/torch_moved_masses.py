"""Moves masses at least cost: 16 problems of 2048 places and goals each, by Sinkhorn's method with logarithms.

Nothing is wrong: a half step is compiled, reads each cost once, and stores no table. The costs are kept turned, too, so that
both halves go along rows. How far the masses are off is kept on the device and read at the end.
The pattern is that of bobxwu/FASTopic, pull request 12: Sinkhorn's method with logarithms, and checks of what is reached."""
import torch

from case import run_case

PROBLEMS, PLACES, GOALS, AXES, BLUR, CHECKED, ROUNDS = 16, 2048, 2048, 3, 0.05, 100, 15000


@torch.compile
def half_step(costs, others, masses):
    """Potentials of rows, so that the rows have their masses."""
    return masses - ((others.unsqueeze(1) - costs) / BLUR).logsumexp(2) * BLUR


@torch.compile
def missed(costs, rows, columns, masses):
    """The sum of what rows have too much or too little."""
    had = torch.exp((rows.unsqueeze(2) + columns.unsqueeze(1) - costs) / BLUR).sum(2)
    return (had - torch.exp(masses / BLUR)).abs().sum()


def made_problem():
    """Squared distances, the same turned, and logarithms of masses, which are multiplied by the blur."""
    places, goals = torch.rand(PROBLEMS, PLACES, AXES, device="cuda"), torch.rand(PROBLEMS, GOALS, AXES, device="cuda")
    costs = torch.cdist(places, goals).square_()
    masses, wanted = (BLUR * torch.rand(PROBLEMS, count, device="cuda").log_softmax(1) for count in (PLACES, GOALS))
    return costs, costs.transpose(1, 2).contiguous(), masses, wanted


def moving():
    torch.manual_seed(1)
    costs, turned, masses, wanted = made_problem()
    state, errors = [torch.zeros_like(masses), torch.zeros_like(wanted), 0], []

    def one_round():
        state[0] = half_step(costs, state[1], masses)
        state[1] = half_step(turned, state[0], wanted)
        state[2] += 1
        if state[2] % CHECKED == 0:
            errors.append(missed(costs, state[0], state[1], masses))

    return one_round, lambda: state[0].double().sum().item() + torch.stack(errors).double().sum().item(), ROUNDS


run_case(None, moving)
