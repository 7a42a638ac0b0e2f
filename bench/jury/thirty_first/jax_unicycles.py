"""Learns to ride unicycles from what was seen before: 8192 riders, whom a simple rule and chance keep upright for a
while, ride on side by side. What they saw, did and felt goes to a buffer of four million moments, the oldest of which
are written over. From moments that are drawn out of it, a rider is learnt by two critics and slow copies of all
networks (TD3). Each round has six steps, each of which is a call of a compiled function."""
import jax
import jax.numpy as jnp
from jax import lax

from case import run_case

RIDERS, MOMENTS, BATCH, STEPS, ROUNDS = 8192, 1 << 22, 8192, 6, 500
STATE, SEEN, MOVES, CRITICS, WIDTH = 8, 4, 3, 2, 512
PAST = STATE * SEEN
ROW = PAST + MOVES + 1 + STATE
STEP, FALLEN, LATER, RATE, FIRST, SECOND, SMALL, SLOW, ROUGH = 0.04, 0.8, 0.97, 3e-4, 0.9, 0.99, 1e-8, 0.01, 0.7
MOST = 1 / (1 - LATER)  # what no rider is worth more than


def started(key):
    return 0.1 * jax.random.normal(key, (RIDERS, STATE))


def ride(state, moves, key):
    """A moment later: how far a rider leans and turns, how fast the wheel is and should be, and the wind."""
    pitch, pitching, roll, rolling, turning, wheel, wanted, wind = state.T
    pedal, arms, twist = moves.T
    gust_key, wish_key, new_key = jax.random.split(key, 3)
    pitching = pitching + STEP * (9 * jnp.sin(pitch) - 8 * pedal)
    rolling = rolling + STEP * (9 * jnp.sin(roll) - 8 * arms - 1.5 * turning * wheel + wind)
    turning = turning + STEP * (4 * twist - turning)
    wheel = wheel + STEP * (3 * pedal - 0.5 * wheel)
    wanted = wanted + 0.05 * jax.random.normal(wish_key, wanted.shape) - 0.02 * wanted
    wind = 0.95 * wind + 0.2 * jax.random.normal(gust_key, wind.shape)
    pitch, roll = pitch + STEP * pitching, roll + STEP * rolling
    fallen = (jnp.abs(pitch) > FALLEN) | (jnp.abs(roll) > FALLEN)
    reward = 1 - pitch ** 2 - roll ** 2 - 0.1 * (wheel - wanted) ** 2 - 5 * fallen
    state = jnp.stack((pitch, pitching, roll, rolling, turning, wheel, wanted, wind), 1)
    return jnp.where(fallen[:, None], started(new_key), state), reward


def ruled(past, key):
    """What the simple rule does: against the lean, and to some degree by chance."""
    pitch, pitching, roll, rolling, turning = past[:, -STATE:-STATE + 5].T
    moves = jnp.stack((2 * pitch + 0.5 * pitching, 2 * roll + 0.5 * rolling, -0.3 * turning), 1)
    return jnp.clip(moves + ROUGH * jax.random.normal(key, moves.shape), -1, 1)


def through(layers, state):
    for weight, bias in layers[:-1]:
        state = jax.nn.relu(state @ weight + bias)
    weight, bias = layers[-1]
    return state @ weight + bias


def acted(rider, past):
    return jnp.tanh(through(rider, past))


def worth(critics, past, moves):
    """What each critic says."""
    seen = jnp.concatenate((past, moves), 1)
    return jax.vmap(lambda critic: through(critic, seen)[:, 0])(critics)


def drawn(buffer, number, key):
    """Moments of the past, from all that were written so far."""
    filled = jnp.minimum((number + 1) * RIDERS, MOMENTS)
    rows = buffer[jax.random.randint(key, (BATCH,), 0, filled)]
    past, moves, reward, state = jnp.split(rows, (PAST, PAST + MOVES, PAST + MOVES + 1), 1)
    return past, moves, reward[:, 0], jnp.concatenate((past[:, STATE:], state), 1)


def critic_error(critics, past, moves, aim):
    return ((worth(critics, past, moves) - aim) ** 2).mean()


def rider_error(rider, critics, past):
    return -worth(critics, past, acted(rider, past))[0].mean()


def changed(networks, slopes, memory, number):
    """A step of Adam."""
    means, squares = memory
    means = jax.tree.map(lambda old, new: FIRST * old + (1 - FIRST) * new, means, slopes)
    squares = jax.tree.map(lambda old, new: SECOND * old + (1 - SECOND) * new * new, squares, slopes)
    late, later = 1 - FIRST ** (number + 1.0), 1 - SECOND ** (number + 1.0)
    networks = jax.tree.map(
        lambda own, mean, square: own - RATE * (mean / late) / (jnp.sqrt(square / later) + SMALL),
        networks, means, squares)
    return networks, (means, squares)


def practise(state):
    """Riders go on, what happened is kept, and networks learn from what was kept."""
    past, buffer, networks, slow, memory, key, number, sums = state
    key, *keys = jax.random.split(key, 5)
    moves = ruled(past, keys[0])
    new, reward = ride(past[:, -STATE:], moves, keys[1])
    rows = jnp.concatenate((past, moves, reward[:, None], new), 1)
    buffer = lax.dynamic_update_slice(buffer, rows, (number * RIDERS % MOMENTS, 0))  # fault
    past = jnp.concatenate((past[:, STATE:], new), 1)
    before, done, felt, after = drawn(buffer, number, keys[2])
    smooth = jnp.clip(0.2 * jax.random.normal(keys[3], done.shape), -0.5, 0.5)
    then = jnp.clip(acted(slow[0], after) + smooth, -1, 1)
    aim = jnp.minimum(felt + LATER * worth(slow[1], after, then).min(0), MOST)
    rider, critics = networks
    wrong, critic_slopes = jax.value_and_grad(critic_error)(critics, before, done, aim)
    slopes = jax.grad(rider_error)(rider, critics, before), critic_slopes
    networks, memory = changed(networks, slopes, memory, number)
    slow = jax.tree.map(lambda old, new: old + SLOW * (new - old), slow, networks)
    sums = sums + jnp.stack((reward.mean(), wrong))
    return past, buffer, networks, slow, memory, key, number + 1, sums


def made_layers(key, inputs, outputs):
    sizes = inputs, WIDTH, WIDTH, outputs
    return [(jax.random.normal(own, (before, after)) * (1.5 / before) ** 0.5, jnp.zeros(after))
            for own, before, after in zip(jax.random.split(key, 3), sizes, sizes[1:])]


def begun():
    rider_key, critic_key, start_key, key = jax.random.split(jax.random.key(1), 4)
    critics = jax.vmap(lambda own: made_layers(own, PAST + MOVES, 1))(jax.random.split(critic_key, CRITICS))
    networks = made_layers(rider_key, PAST, MOVES), critics
    memory = tuple(jax.tree.map(jnp.zeros_like, networks) for _ in range(2))
    slow, past = jax.tree.map(jnp.copy, networks), jnp.tile(started(start_key), (1, SEEN))
    return past, jnp.zeros((MOMENTS, ROW)), networks, slow, memory, key, jnp.int32(0), jnp.zeros(2)


class School:
    def __init__(self, step):
        self.step, self.state = step, begun()

    def teach(self):
        for _ in range(STEPS):
            self.state = self.step(self.state)  # fault
        return self.state[-1]

    def total(self):
        """How well riders fared, and a part of how wrong critics were."""
        return self.state[-1] @ jnp.array((1.0, 0.01)) / (STEPS * ROUNDS)


def riding(step):
    school = School(step)
    return school.teach, school.total, ROUNDS


run_case(lambda: riding(jax.jit(practise)), lambda: riding(jax.jit(practise, donate_argnums=0)))  # fault
