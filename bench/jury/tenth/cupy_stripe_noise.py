"""Takes stripes out of pictures of a microscope: what a filter of stripes can explain of their gradients, in 25 steps.

At fault: the corrected picture goes to the host and back before the steps, and the result before what follows them.
The pattern is that of CEA-MetroCarac/pyvsnr, pull request 5: no get() before asarray(), results stay on the device."""
import cupy

from case import run_case

SIDE, PICTURES, STEPS, LEVEL, BELOW, ROUNDS = 2048, 4, 25, 0.05, 1e-2, 160

corrected = cupy.ElementwiseKernel("float32 raw, float32 dark, float32 gain", "float32 out",
                                   "out = (raw - dark) * gain", "corrected")
gradients = cupy.ElementwiseKernel(
    "raw float32 picture, int32 side", "float32 down, float32 right",
    """const int y = i / side, x = i - y * side;
    const float here = picture[i];
    down = picture[(y + 1 == side ? 0 : y + 1) * side + x] - here;
    right = picture[y * side + (x + 1 == side ? 0 : x + 1)] - here""", "gradients")
explained = cupy.ElementwiseKernel(
    "complex64 one, complex64 other, complex64 down, complex64 right, float32 scale",
    "complex64 to_down, complex64 to_right",
    """const complex<float> source = (conj(down) * one + conj(right) * other) * scale;
    to_down = down * source;
    to_right = right * source""", "explained")
stripes_of = cupy.ElementwiseKernel(
    "complex64 one, complex64 other, complex64 down, complex64 right, float32 scale, complex64 stripe",
    "complex64 stripes", "stripes = (conj(down) * one + conj(right) * other) * scale * stripe", "stripes_of")
shrunk = cupy.ElementwiseKernel(
    "float32 gradient, float32 told, float32 level", "float32 carried, float32 wanted",
    """const float left = gradient - told + carried;
    const float kept = copysignf(fmaxf(fabsf(left) - level, 0.0f), left);
    carried = left - kept;
    wanted = gradient - kept + carried""", "shrunk")


def made_filter():
    """Transforms of stripes that run along a picture, of their two gradients, and what scales their sum."""
    down, right = cupy.fft.fftfreq(SIDE)[:, None], cupy.fft.rfftfreq(SIDE)[None, :]
    stripe = cupy.exp(-(down / 0.2) ** 2 / 2 - (right / 0.002) ** 2 / 2)
    to_down, to_right = (stripe * (cupy.exp(2j * cupy.pi * part) - 1) for part in (down, right))
    scale = 1 / (abs(to_down) ** 2 + abs(to_right) ** 2 + BELOW)
    return (*(part.astype(cupy.complex64) for part in (stripe, to_down, to_right)),
            (scale / SIDE ** 2).astype(cupy.float32))


def made_pictures():
    random = cupy.random.default_rng(1)
    pictures = random.random((PICTURES, SIDE, SIDE), dtype=cupy.float32)
    pictures += random.random((PICTURES, SIDE, 1), dtype=cupy.float32)
    return pictures, cupy.full(SIDE, 0.02, dtype=cupy.float32), 1 + 0.1 * random.random(SIDE, dtype=cupy.float32)


def cleaned(picture, parts):
    stripe, down, right, scale = parts
    gradient = cupy.empty((2, SIDE, SIDE), dtype=cupy.float32)
    gradients(picture, SIDE, gradient[0], gradient[1])
    carried, wanted = cupy.zeros_like(gradient), gradient.copy()
    told = cupy.empty((2, *down.shape), dtype=cupy.complex64)
    for _ in range(STEPS):
        seen = cupy.fft.rfft2(wanted)
        explained(seen[0], seen[1], down, right, scale, told[0], told[1])
        shrunk(gradient, cupy.fft.irfft2(told, norm="forward"), LEVEL, carried, wanted)
    return picture - cupy.fft.irfft2(stripes_of(seen[0], seen[1], down, right, scale, stripe), norm="forward")


def cleaning(passed_on):
    (pictures, dark, gain), parts = made_pictures(), made_filter()
    state = [0, 0.0]

    def one_round():
        picture = passed_on(corrected(pictures[state[0] % PICTURES], dark, gain))
        result = passed_on(cleaned(picture, parts))
        state[0] += 1
        state[1] = result.mean(axis=1)

    return one_round, lambda: float(abs(state[1]).sum()), ROUNDS


def by_the_host(array):
    return cupy.asarray(array.get())  # fault


run_case(lambda: cleaning(by_the_host), lambda: cleaning(lambda array: array))
