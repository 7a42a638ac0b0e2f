"""Lets spots grow on skins of animals: two substances react and diffuse on 4096 x 4096 cells, a step a round.

Nothing is wrong: a step is compiled into one kernel, which reads and stores each of the two fields once.
The pattern is that of JBjoernskov/Twin4Build, pull request 139: the step of a simulation compiled before it is repeated."""
import torch

from case import run_case

SIDE, FEED, KILL, FAST, SLOW, ROUNDS = 4096, 0.037, 0.06, 0.16, 0.08, 9000


def spread(field):
    """Diffusion on a torus."""
    return field.roll(1, 0) + field.roll(-1, 0) + field.roll(1, 1) + field.roll(-1, 1) - 4 * field


@torch.compile
def advanced(food, dye):
    eaten = food * dye * dye
    return (food + FAST * spread(food) - eaten + FEED * (1 - food),
            dye + SLOW * spread(dye) + eaten - (FEED + KILL) * dye)


def growing():
    torch.manual_seed(1)
    food = torch.ones(SIDE, SIDE, device="cuda")
    dye = torch.zeros(SIDE, SIDE, device="cuda")
    for row, column in torch.randint(0, SIDE - 16, (400, 2)).tolist():
        food[row:row + 16, column:column + 16] = 0.5
        dye[row:row + 16, column:column + 16] = 0.25
    state = [food, dye]

    def one_round():
        state[:] = advanced(*state)

    return one_round, lambda: state[1].double().sum().item(), ROUNDS


run_case(None, growing)
