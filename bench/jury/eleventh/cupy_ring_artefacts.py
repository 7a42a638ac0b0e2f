"""Takes rings out of a tomogram before it is reconstructed: 96 sinograms, each with 1024 angles of a row of 1024 sensors.

At fault: a loop takes sinogram after sinogram, so each round launches hundreds of kernels, most of which have a few blocks.
The pattern is that of tomography/tomocupy, pull request 68: all sinograms at once instead of loops over them."""
import cupy

from case import run_case

SINOGRAMS, ANGLES, SENSORS, WINDOW, ROUNDS = 96, 1024, 1024, 31, 800
LEAST = 0.004


stripes_above = cupy.ElementwiseKernel(
    "float32 profile, float32 smooth, float32 least", "float32 stripe",
    "const float found = profile - smooth; stripe = fabsf(found) > least ? found : 0.0f;", "stripes_above")


def made_tomogram():
    random = cupy.random.default_rng(1)
    tomogram = random.random((SINOGRAMS, ANGLES, SENSORS), dtype=cupy.float32)
    tomogram += 0.3 * random.standard_normal((SINOGRAMS, 1, SENSORS), dtype=cupy.float32)
    return tomogram


def made_window():
    """A column has the shares that neighbouring sensors have in the smooth profile at a sensor."""
    sensors = cupy.arange(SENSORS)
    window = (abs(sensors[:, None] - sensors) <= WINDOW // 2).astype(cupy.float32)
    return window / window.sum(0)


def without_rings_in_turn(tomogram, shares, window, least, out):
    for sinogram, result in zip(tomogram, out):  # fault
        profile = shares @ sinogram  # fault
        smooth = profile @ window  # fault
        cupy.subtract(sinogram, stripes_above(profile, smooth, least), out=result)  # fault


def without_rings(tomogram, shares, window, least, out):
    profiles = cupy.matmul(shares, tomogram)
    smooth = profiles @ window
    cupy.subtract(tomogram, stripes_above(profiles, smooth, least)[:, None], out=out)


def cleaning(clean_up):
    tomogram, window = made_tomogram(), made_window()
    shares = cupy.full(ANGLES, 1 / ANGLES, dtype=cupy.float32)
    out, least = cupy.empty_like(tomogram), cupy.float32(LEAST)

    def one_round():
        clean_up(tomogram, shares, window, least, out)

    return one_round, lambda: float(abs(out).sum(dtype=cupy.float64)), ROUNDS


run_case(lambda: cleaning(without_rings_in_turn), lambda: cleaning(without_rings))
