"""Lets a cloud of atoms swing in a trap with a weak lattice: a wave in 256 x 256 x 256 places, a step a round, by transforms.

Nothing is wrong: what the trap and the motion do to the wave is found once and stays on the device, the scale of the transforms
is part of it, products are made in place, and what is measured is kept on the device until the end.
The pattern is that of chromatix-team/chromatix, issue 44: the factors of a step are found once."""
import torch

from case import run_case

SIDE, WIDE, TIME, LATTICE, MEASURED, ROUNDS = 256, 16.0, 0.002, 2.0, 50, 4500


def along_axes(values):
    """The sum of a value for each axis."""
    return values[:, None, None] + values[:, None] + values


def made_factors():
    """What a step multiplies the wave by, in places and in frequencies."""
    places = (torch.arange(SIDE, device="cuda") - SIDE / 2) * (WIDE / SIDE)
    speeds = 2 * torch.pi * torch.fft.fftfreq(SIDE, WIDE / SIDE, device="cuda")
    heights = along_axes(places.square() / 2 + LATTICE * torch.sin(4 * places).square())
    energies = along_axes(speeds.square() / 2)
    unit = torch.ones((), device="cuda")
    return places, torch.polar(unit, -TIME * heights), torch.polar(unit / SIDE ** 3, -TIME * energies)


def swinging():
    places, trap, motion = made_factors()
    start = torch.exp(along_axes(-(places - 1.5).square() / 2))
    start = torch.complex(start / torch.linalg.vector_norm(start), torch.zeros_like(start))
    state, overlaps = [start.clone(), 0], []

    @torch.no_grad()
    def one_round():
        spectrum = torch.fft.fftn(state[0].mul_(trap))
        state[0] = torch.fft.ifftn(spectrum.mul_(motion), norm="forward")
        state[1] += 1
        if state[1] % MEASURED == 0:
            overlaps.append(torch.vdot(start.flatten(), state[0].flatten()))

    return one_round, lambda: torch.stack(overlaps).abs().double().sum().item(), ROUNDS


run_case(None, swinging)
