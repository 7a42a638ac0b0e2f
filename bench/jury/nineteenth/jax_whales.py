"""Follows a whale by what 128 hydrophones hear of it: each round moves 65536 particles, each of which is a place where
it may be, weighs them by how well the phases of 128 tones fit what was heard, and draws as many again by their weights.

At fault: the particles to go on with are drawn by NumPy, so each round the host waits for the weights, sums and
searches them while the GPU idles, and sends back what it found; sum and search them on the GPU.
The pattern is that of fbpic/fbpic, pull request 433 (a running sum moved to the GPU, as less is copied to the host and
back), and mrc-ide/dust, pull request 224: a whole particle filter on the GPU, whose particles are drawn by a running
sum and a search."""
import jax
import jax.numpy as jnp
import numpy as np

from case import run_case

PARTICLES, PHONES, TONES, SOUND, GAIN, ROUNDS = 1 << 16, 128, 128, 1500.0, 0.002, 300
MIDDLE, RADIUS, SPEED = (4000.0, 3000.0), 1000.0, 0.003


def place_of_whale(number):
    angle = SPEED * number
    return MIDDLE[0] + RADIUS * jnp.cos(angle), MIDDLE[1] + RADIUS * jnp.sin(angle)


def move(key, particles):
    x, y, u, v = particles
    pushes = jax.random.normal(key, (4, PARTICLES))
    u, v = u + 0.2 * pushes[0], v + 0.2 * pushes[1]
    return x + u + 2 * pushes[2], y + v + 2 * pushes[3], u, v


def observe(state, phones, tones):
    """Particles that have moved, how well they fit, and where among them to begin to draw."""
    particles, number, far = state
    of_move, of_sound, of_draw = jax.random.split(jax.random.fold_in(jax.random.key(2), number), 3)
    x, y, u, v = move(of_move, particles)
    whale_x, whale_y = place_of_whale(number)
    heard = jnp.hypot(phones[0] - whale_x, phones[1] - whale_y)[:, None] * (tones / SOUND)
    heard = heard + 0.3 * jax.random.normal(of_sound, (PHONES, TONES))
    lags = jnp.hypot(x[:, None] - phones[0], y[:, None] - phones[1]) * (1 / SOUND)
    likeness = jnp.cos(lags[:, :, None] * tones - heard).sum((1, 2))
    weights = jax.nn.softmax(GAIN * likeness)
    far = far + (weights * jnp.hypot(x, y)).sum() / 1000
    return ((x, y, u, v), number + 1, far), weights, jax.random.uniform(of_draw)


def draw_on_host(weights, offset):
    sums = np.cumsum(np.asarray(weights, np.float64))  # fault
    sought = (np.arange(PARTICLES) + float(offset)) * (sums[-1] / PARTICLES)  # fault
    return jnp.asarray(np.minimum(np.searchsorted(sums, sought), PARTICLES - 1).astype(np.int32))  # fault


@jax.jit
def draw_on_device(weights, offset):
    sums = jnp.cumsum(weights)
    sought = (jnp.arange(PARTICLES) + offset) * (sums[-1] / PARTICLES)
    return jnp.minimum(jnp.searchsorted(sums, sought, method="scan_unrolled"), PARTICLES - 1)


def keep(state, drawn):
    particles, number, far = state
    return tuple(part[drawn] for part in particles), number, far


@jax.jit
def made_sea():
    """Particles near the whale, where the hydrophones are, and the tones as turns of the phase in a second."""
    first, second, third = jax.random.split(jax.random.key(1), 3)
    near = jax.random.normal(first, (4, PARTICLES))
    x, y = place_of_whale(0)
    particles = x + 30 * near[0], y + 30 * near[1], 2 * near[2], 2 * near[3]
    phones = jax.random.uniform(second, (2, PHONES)) * 8000
    tones = 6.2832 * (1 + 19 * jax.random.uniform(third, (TONES,)))
    return (particles, jnp.int32(0), jnp.float32(0)), phones, tones


def following(draw):
    first, phones, tones = made_sea()
    state, observed, kept = [first], jax.jit(observe, donate_argnums=0), jax.jit(keep)

    def one_round():
        moved, weights, offset = observed(state[0], phones, tones)
        state[0] = kept(moved, draw(weights, offset))  # fault
        return state[0]

    return one_round, lambda: state[0][-1], ROUNDS


run_case(lambda: following(draw_on_host), lambda: following(draw_on_device))
