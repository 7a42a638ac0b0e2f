"""Sends light through optical fibres: each round, the light of 96 channels in both polarisations, 65536 moments each,
travels 20 steps along a fibre, in which colours run apart and the phase turns with the power, and is amplified, which
adds noise.

Nothing is wrong: all of a round is one compiled function, its steps are a loop within it, half steps that follow each
other are joined, so there is one transform there and back for each step, the state is donated, noise is drawn on the
GPU, and what is judged is summed there.
The pattern is that of gregmoille/pyLLE, issue 22 (a transform there and back that a split step does not need), and
jax-ml/jax, pull request 2936: arrays that are donated, as a loop would otherwise keep its state twice."""
import jax
import jax.numpy as jnp
from jax import lax

from case import run_case

FIBRES, MOMENTS, STEPS, PULSE, COLOURS, TURN, NOISE, ROUNDS = 96, 65536, 20, 16, 0.5, 0.004, 0.01, 330


def disperse(light, turns):
    return tuple(jnp.fft.ifft(jnp.fft.fft(one) * turns) for one in light)


def turn_by_power(light):
    one, other = light
    angle = TURN * (one.real ** 2 + one.imag ** 2 + other.real ** 2 + other.imag ** 2)
    turns = lax.complex(jnp.cos(angle), jnp.sin(angle))
    return one * turns, other * turns


def amplify(light, key):
    """Back to a power of one on average, with noise."""
    noise = jax.random.normal(key, (4, FIBRES, MOMENTS)) * NOISE
    noisy = light[0] + lax.complex(noise[0], noise[1]), light[1] + lax.complex(noise[2], noise[3])
    power = sum((one.real ** 2 + one.imag ** 2).mean(1, keepdims=True) for one in noisy)
    gain = lax.rsqrt(power)
    return tuple(one * gain for one in noisy)


def span(state, half, whole):
    """State: the light, the number of the span, and how much power varied from moment to moment so far."""
    light, number, varied = state
    light = disperse(light, half)
    light = lax.fori_loop(0, STEPS - 1, lambda _, light: disperse(turn_by_power(light), whole), light)
    light = disperse(turn_by_power(light), half)
    light = amplify(light, jax.random.fold_in(jax.random.key(2), number))
    power = sum(one.real ** 2 + one.imag ** 2 for one in light)
    return light, number + 1, varied + (power ** 2).mean()


def made_light(key):
    """Pulses of four phases."""
    quarters = jax.random.randint(key, (2, FIBRES, MOMENTS // PULSE), 0, 4) * (jnp.pi / 2)
    shape = jnp.sin(jnp.pi * (jnp.arange(PULSE) + 0.5) / PULSE)
    pulses = lax.complex(jnp.cos(quarters), jnp.sin(quarters))[..., None] * shape
    one, other = pulses.reshape(2, FIBRES, MOMENTS)
    return one, other


@jax.jit
def made_span():
    waves = 2 * jnp.pi * jnp.fft.fftfreq(MOMENTS)
    angle = COLOURS * waves ** 2
    half, whole = (lax.complex(jnp.cos(part * angle), jnp.sin(part * angle)) for part in (0.5, 1.0))
    return (made_light(jax.random.key(1)), jnp.int32(0), jnp.float32(0)), half, whole


def shining():
    first, half, whole = made_span()
    state, travel = [first], jax.jit(span, donate_argnums=0)

    def one_round():
        state[0] = travel(state[0], half, whole)
        return state[0]

    return one_round, lambda: state[0][-1], ROUNDS


run_case(None, shining)
