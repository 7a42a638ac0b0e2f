"""The energy of a density that is made of occupied orbitals.

At fault: the density goes to the host and comes back unchanged before the kernel that reads it.
The pattern is that of pyscf/gpu4pyscf, whose pull request 810 takes such round trips out."""
import cupy

from case import run_case

ORBITALS, OCCUPIED, ROUNDS = 2048, 512, 60


def made_matrices():
    number = cupy.arange(ORBITALS * ORBITALS, dtype=cupy.uint32) * cupy.uint32(2654435761)
    values = (number >> cupy.uint32(8)).astype(cupy.float64).reshape(ORBITALS, ORBITALS) / (1 << 24)
    return cupy.ascontiguousarray(values[:, :OCCUPIED]), values


def through_host():
    orbitals, core = made_matrices()
    energy = [None]

    def one_round():
        density = 2 * orbitals @ orbitals.T
        density_on_host = density.get()
        energy[0] = cupy.sum(cupy.asarray(density_on_host) * core)  # fault

    return one_round, lambda: float(energy[0]), ROUNDS


def on_device():
    orbitals, core = made_matrices()
    energy = [None]

    def one_round():
        density = 2 * orbitals @ orbitals.T
        energy[0] = cupy.sum(density * core)

    return one_round, lambda: float(energy[0]), ROUNDS


run_case(through_host, on_device)
