"""How a telescope sees 16 stars through six layers of air: the light takes the phases of a layer and travels to the next one,
by transforms.

At fault: pictures and spectra are moved to the middle and back by fftshift, four copies of 134 MB a layer, so that the factors
of the travel can lie in the middle, too.
The pattern is that of ArcetriAdaptiveOptics/SPECULA, pull requests 472 and 496, and vccimaging/DeepLens, pull request 43: no
shifts around transforms."""
import cupy
from cupyx.scipy import fft

from case import run_case

STARS, SIDE, LAYERS, PIXEL, WAVE, APART, TILTS, ROUNDS = 16, 1024, 6, 0.008, 7e-7, 2500.0, 8, 700
AXES = (1, 2)

add_light = cupy.ElementwiseKernel(
    "complex64 wave", "float32 seen", "seen += wave.real() * wave.real() + wave.imag() * wave.imag()", "add_light")


def made_travel():
    """What the way to the next layer does to each frequency, the lowest ones first; the scale of the transforms is part of it."""
    frequencies = cupy.fft.fftfreq(SIDE, PIXEL)
    squares = frequencies[:, None] ** 2 + frequencies ** 2
    return (cupy.exp(-1j * cupy.pi * WAVE * APART * squares) / SIDE ** 2).astype(cupy.complex64)


def made_layers():
    """Smooth phases, one picture a layer."""
    frequencies = cupy.fft.fftfreq(SIDE, PIXEL)
    sizes = (frequencies[:, None] ** 2 + frequencies ** 2 + 0.01) ** -0.9
    noise = cupy.random.default_rng(1).standard_normal((LAYERS, SIDE, SIDE), dtype=cupy.float32)
    phases = fft.ifft2(fft.fft2(noise) * sizes).real
    phases /= phases.std(axis=AXES, keepdims=True)
    return [cupy.exp(1j * layer).astype(cupy.complex64) for layer in phases]


def made_light():
    """The mirror, and how the waves of stars are tilted to it in each round."""
    places = (cupy.arange(SIDE) - SIDE / 2) * PIXEL
    mirror = (places[:, None] ** 2 + places ** 2 < 9).astype(cupy.complex64)
    slopes = cupy.random.default_rng(2).random((TILTS, STARS, 1, 1), dtype=cupy.float32)
    return mirror, [cupy.exp(4j * part * places).astype(cupy.complex64) for part in slopes]


def travelled_in_the_middle(wave, travel):
    spectrum = fft.fftshift(fft.fft2(fft.fftshift(wave, AXES), axes=AXES, overwrite_x=True), AXES)  # fault
    spectrum *= travel
    return fft.ifftshift(  # fault
        fft.ifft2(fft.ifftshift(spectrum, AXES), axes=AXES, norm="forward", overwrite_x=True), AXES)  # fault


def travelled(wave, travel):
    spectrum = fft.fft2(wave, axes=AXES, overwrite_x=True)
    spectrum *= travel
    return fft.ifft2(spectrum, axes=AXES, norm="forward", overwrite_x=True)


def seeing(travel_on, order):
    travel, layers, (mirror, tilts) = order(made_travel()), made_layers(), made_light()
    seen, state = cupy.zeros((STARS, SIDE, SIDE), dtype=cupy.float32), [0]

    def one_round():
        wave = mirror * tilts[state[0] % TILTS]
        for layer in layers:
            wave *= layer
            wave = travel_on(wave, travel)  # fault
        add_light(wave, seen)
        state[0] += 1

    return one_round, lambda: float((seen * seen).sum(dtype=cupy.float64) / seen.sum(dtype=cupy.float64)), ROUNDS


run_case(lambda: seeing(travelled_in_the_middle, fft.fftshift), lambda: seeing(travelled, lambda travel: travel))
