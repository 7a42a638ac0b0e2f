"""Tells how high trees are above the ground: for each of 33 million echoes of a laser, the ground below it is looked up in a map
of cells; a round takes the map of one season.

At fault: the echoes are kept in no order, so neighbouring lanes look up cells that lie far from each other, and each of four
bytes costs a sector; the echoes can be sorted by their cells once, before all rounds.
The pattern is that of InteractiveComputerGraphics/cuNSearch, issue 8, and Victor2266/The-Fluid-Toy, issue 33: particles
themselves are sorted by cells, so that what is looked up lies together."""
import torch

from case import run_case

ROWS, COLUMNS, ECHOES, SEASONS, HIGHEST, ROUNDS = 4096, 8192, 1 << 25, 4, 40.0, 12000


def as_they_came(cells, heights):
    return cells, heights  # fault


def by_cells(cells, heights):
    cells, order = cells.sort()
    return cells, heights[order]


def made_grounds():
    """Height of the ground, a map each season, as snow and grass change it."""
    ground = 100 + 10 * torch.randn(ROWS * COLUMNS, device="cuda")
    return [ground + season / SEASONS for season in range(SEASONS)]


def measuring(arranged):
    torch.manual_seed(1)
    grounds, cells = made_grounds(), torch.randint(0, ROWS * COLUMNS, (ECHOES,), device="cuda")
    heights = grounds[-1][cells] + HIGHEST * torch.rand(ECHOES, device="cuda")
    cells, heights = arranged(cells, heights)  # fault
    above, state = torch.empty_like(heights), [0]

    @torch.no_grad()
    def one_round():
        torch.take(grounds[state[0] % SEASONS], cells, out=above)  # fault
        torch.sub(heights, above, out=above)
        state[0] += 1

    return one_round, lambda: above.double().sum().item(), ROUNDS


run_case(lambda: measuring(as_they_came), lambda: measuring(by_cells))
