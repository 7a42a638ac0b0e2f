"""Learns to steer lifts: each round, 4096 simulated buildings take a step by what a network says, what they saw is kept
among the last million steps, and the network is trained on 16384 steps drawn from these, against a slow average of
itself. A round is one compiled function."""
import functools

import jax
import jax.numpy as jnp
from jax import lax

from case import run_case

BUILDINGS, KEPT, SEEN, ACTIONS, WIDTH, BATCH = 4096, 1 << 20, 192, 8, 1024, 16384
RATE, SHARE, FADE, CURIOUS, ROUNDS = 1e-3, 0.005, 0.95, 0.1, 2600


def made_weights(key):
    sizes = SEEN, WIDTH, WIDTH, ACTIONS
    keys = jax.random.split(key, len(sizes) - 1)
    parts = [jax.random.normal(own, (before + 1, after)) * before ** -0.5
             for own, before, after in zip(keys, sizes, sizes[1:])]
    return [(part[1:], part[0]) for part in parts]


def worth(weights, seen):
    """What each action is worth."""
    state = seen
    for number, (matrix, bias) in enumerate(weights):
        state = jnp.dot(state.astype(jnp.bfloat16), matrix.astype(jnp.bfloat16)).astype(jnp.float32) + bias
        if number < len(weights) - 1:
            state = jax.nn.silu(state)
    return state


def move(buildings, actions, city, key):
    """What the buildings see next, and how glad their people are."""
    habits, pushes = city
    calls = 0.3 * jax.random.normal(key, buildings.shape)
    after = jnp.tanh(buildings @ habits + pushes[actions] + calls)
    return after, 1 - jnp.abs(after).mean(1)


def act(weights, buildings, key):
    of_choice, of_action = jax.random.split(key)
    best = worth(weights, buildings).argmax(1)
    others = jax.random.randint(of_action, (BUILDINGS,), 0, ACTIONS)
    return jnp.where(jax.random.uniform(of_choice, (BUILDINGS,)) < CURIOUS, others, best)


def keep(memory, number, buildings, actions, glad):
    """Writes a step of all buildings over the oldest one."""
    seen, done, gained = memory
    slot = number % (KEPT // BUILDINGS) * BUILDINGS
    seen = lax.dynamic_update_slice(seen, buildings, (slot, 0))  # fault
    return seen, lax.dynamic_update_slice(done, actions, (slot,)), lax.dynamic_update_slice(gained, glad, (slot,))


def draw(memory, number, key):
    """Steps, and what was seen after each, a step of all buildings further on."""
    seen, done, gained = memory
    newest = number % (KEPT // BUILDINGS) * BUILDINGS
    back = jax.random.randint(key, (BATCH,), BUILDINGS, KEPT)
    own = (newest + BUILDINGS - 1 - back) % KEPT
    return seen[own], done[own], gained[own], seen[(own + BUILDINGS) % KEPT]


def error_of(weights, slow, drawn):
    seen, done, gained, after = drawn
    own = jnp.take_along_axis(worth(weights, seen), done[:, None], 1)[:, 0]
    aim = gained + FADE * worth(slow, after).max(1)
    return jnp.square(own - lax.stop_gradient(aim)).mean()


def step(state, city):
    memory, buildings, weights, slow, number, errors = state
    of_act, of_move, of_draw = jax.random.split(jax.random.fold_in(jax.random.key(2), number), 3)
    actions = act(weights, buildings, of_act)
    after, glad = move(buildings, actions, city, of_move)
    memory = keep(memory, number, buildings, actions, glad)  # fault
    error, slopes = jax.value_and_grad(error_of)(weights, slow, draw(memory, number, of_draw))
    weights = jax.tree_util.tree_map(lambda own, slope: own - RATE * slope, weights, slopes)
    slow = jax.tree_util.tree_map(lambda one, other: one + SHARE * (other - one), slow, weights)
    return memory, after, weights, slow, number + 1, errors + error


@jax.jit
def made_city():
    of_seen, of_done, of_gained, of_buildings, of_weights, of_habits, of_pushes = jax.random.split(jax.random.key(1), 7)
    memory = (jnp.tanh(jax.random.normal(of_seen, (KEPT, SEEN))), jax.random.randint(of_done, (KEPT,), 0, ACTIONS),
              jax.random.uniform(of_gained, (KEPT,)))
    buildings, weights = jax.random.normal(of_buildings, (BUILDINGS, SEEN)), made_weights(of_weights)
    slow = jax.tree_util.tree_map(lambda own: 0.5 * own, weights)
    habits = jax.random.normal(of_habits, (SEEN, SEEN)) * SEEN ** -0.5
    city = habits, 0.5 * jax.random.normal(of_pushes, (ACTIONS, SEEN))
    return (memory, buildings, weights, slow, jnp.int32(0), jnp.float32(0)), city


def lifting(compiled):
    first, city = made_city()
    state, run = [first], compiled(step)

    def one_round():
        state[0] = run(state[0], city)  # fault
        return state[0]

    return one_round, lambda: state[0][-1], ROUNDS


run_case(lambda: lifting(jax.jit), lambda: lifting(functools.partial(jax.jit, donate_argnums=0)))
