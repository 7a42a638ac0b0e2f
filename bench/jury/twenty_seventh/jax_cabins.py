"""Learns how good the moves of lifts are: each round, 2048 houses of 64 floors with four lifts each go through eight
steps, in which lifts go up and down with a little chance. What was seen, done and gained is kept for 524288 steps, out
of which six batches are drawn to teach a network what a move is worth in the long run (double Q-learning)."""
import functools

import jax
import jax.numpy as jnp
from jax import lax

from case import run_case

HOUSES, FLOORS, LIFTS, ROOM, SIZE, KEPT, STEPS, BATCHES, BATCH, ROUNDS = 2048, 64, 4, 12, 512, 1 << 19, 8, 6, 8192, 450
MOVES, WIDTH, LAYERS, RATE, FADE, PACE, FIRST, SECOND = 3 ** LIFTS, 1024, 3, 1e-4, 0.97, 0.005, 0.9, 0.99
SHORT = jnp.bfloat16


def seen(house):
    """What a house looks like, as numbers for the network: who waits, where lifts are, how full, what time it is."""
    waiting, places, loads, time, _ = house
    where = jax.nn.one_hot(places, FLOORS)
    clock = jnp.sin(time * 0.01 * (1 + jnp.arange(SIZE - 7 * FLOORS)))
    parts = (waiting.reshape(HOUSES, -1) * 0.2, where.reshape(HOUSES, -1), (where * loads[..., None]).sum(1) * 0.1,
             jnp.broadcast_to(clock, (HOUSES, clock.size)))
    return jnp.concatenate(parts, 1).astype(SHORT)


@jax.jit
def step(house):
    """The house after a step, and what was seen before it, done in it and gained by it."""
    waiting, places, loads, time, key = house
    key, come_key, rule_key, side_key = jax.random.split(key, 4)
    phase = 0.01 * jnp.arange(HOUSES)[:, None] + 1.6 * jnp.arange(LIFTS)
    goal = (FLOORS * (0.5 + 0.5 * jnp.sin(0.03 * time + phase))).astype(jnp.int32)
    rule = jnp.sign(goal - places)
    strange = jax.random.uniform(rule_key, places.shape) < 0.25
    move = jnp.where(strange, jax.random.randint(side_key, places.shape, -1, 2), rule)
    after = jnp.clip(places + move, 0, FLOORS - 1)
    where = jax.nn.one_hot(after, FLOORS)
    lifts = where.sum(1)
    room = (where * (ROOM - loads)[..., None]).sum(1)
    there = waiting.sum(2)
    taken = jnp.minimum(there, room)
    entered = jnp.take_along_axis(taken / jnp.maximum(lifts, 1), after, 1)
    come = jax.random.uniform(come_key, waiting.shape) < 0.01 + 0.01 * jnp.sin(0.02 * time) ** 2
    waiting = jnp.minimum(waiting * (1 - taken / jnp.maximum(there, 1e-6))[..., None] + come, 20)
    loads = jnp.clip(0.85 * loads + entered, 0, ROOM)
    gain = 0.05 * (taken.sum(1) - 0.1 * waiting.sum((1, 2)))
    done = ((move + 1) * 3 ** jnp.arange(LIFTS)).sum(1)
    return (waiting, after, loads, time + 1, key), {"seen": seen(house), "done": done, "gain": gain}


def keep(past, steps):
    """Puts steps of all houses where the oldest ones are."""
    place = past["place"]
    put = {name: lax.dynamic_update_slice_in_dim(past[name], steps[name], place, 0) for name in steps}  # fault
    return {**put, "place": (place + HOUSES) % KEPT}


keep_steps = jax.jit(keep)  # fault
keep_steps_in_place = jax.jit(keep, donate_argnums=0)


def worths(network, state):
    for weight, bias in network[:-1]:
        state = jax.nn.relu(state @ weight.astype(SHORT) + bias.astype(SHORT))
    weight, bias = network[-1]
    return (state @ weight.astype(SHORT)).astype(jnp.float32) + bias


def error(network, slow, before, done, gain, after):
    best = worths(network, after).argmax(1)
    later = jnp.take_along_axis(worths(slow, after), best[:, None], 1)[:, 0]
    told = jnp.take_along_axis(worths(network, before), done[:, None], 1)[:, 0]
    miss = jnp.abs(told - lax.stop_gradient(gain + FADE * later))
    return jnp.where(miss < 1, 0.5 * miss ** 2, miss - 0.5).mean()


@functools.partial(jax.jit, donate_argnums=0)
def learn(state, past):
    """Batches of a round; a step's successor in its house lies HOUSES places further on."""
    def batch(state, _):
        network, slow, firsts, seconds, key, number, losses = state
        key, own_key = jax.random.split(key)
        drawn = (past["place"] + jax.random.randint(own_key, (BATCH,), 0, KEPT - HOUSES)) % KEPT
        before, after = past["seen"][drawn], past["seen"][(drawn + HOUSES) % KEPT]
        loss, slopes = jax.value_and_grad(error)(network, slow, before, past["done"][drawn], past["gain"][drawn], after)
        number = number + 1
        firsts = jax.tree.map(lambda old, new: FIRST * old + (1 - FIRST) * new, firsts, slopes)
        seconds = jax.tree.map(lambda old, new: SECOND * old + (1 - SECOND) * new * new, seconds, slopes)
        rate = RATE * jnp.sqrt(1 - SECOND ** number) / (1 - FIRST ** number)
        network = jax.tree.map(lambda own, first, second: own - rate * first / (jnp.sqrt(second) + 1e-8),
                               network, firsts, seconds)
        slow = jax.tree.map(lambda old, new: old + PACE * (new - old), slow, network)
        return (network, slow, firsts, seconds, key, number, losses + loss), None

    return lax.scan(batch, state, None, length=BATCHES)[0]


@jax.jit
def made_network(key):
    sizes = (SIZE, *(WIDTH,) * LAYERS, MOVES)
    keys = jax.random.split(key, LAYERS + 1)
    return [(jax.random.normal(own, (inputs, outputs)) * (1.5 / inputs) ** 0.5, jnp.zeros(outputs))
            for own, inputs, outputs in zip(keys, sizes, sizes[1:])]


class Trainer:
    """The past begins with random steps, so that batches can be drawn from the first round on."""
    def __init__(self, keep_steps):
        self.keep_steps = keep_steps
        places = jax.random.randint(jax.random.key(2), (HOUSES, LIFTS), 0, FLOORS)
        empty, idle = jnp.zeros((HOUSES, FLOORS, 2)), jnp.zeros((HOUSES, LIFTS))
        self.house = empty, places, idle, jnp.float32(0), jax.random.key(1)
        self.past = {"seen": jax.random.uniform(jax.random.key(3), (KEPT, SIZE), SHORT, 0, 0.2),
                     "done": jax.random.randint(jax.random.key(4), (KEPT,), 0, MOVES),
                     "gain": jnp.zeros(KEPT), "place": jnp.int32(0)}
        network = made_network(jax.random.key(5))
        firsts, seconds = (jax.tree.map(jnp.zeros_like, network) for _ in range(2))
        slow, key = jax.tree.map(jnp.copy, network), jax.random.key(6)
        self.state = network, slow, firsts, seconds, key, jnp.int32(0), jnp.float32(0)

    def one_round(self):
        for _ in range(STEPS):
            self.house, steps = step(self.house)
            self.past = self.keep_steps(self.past, steps)  # fault
        self.state = learn(self.state, self.past)
        return self.state, self.past

    def total(self):
        return self.state[-1] + self.past["gain"].sum() / HOUSES


def lifting(keep_steps):
    trainer = Trainer(keep_steps)
    return trainer.one_round, trainer.total, ROUNDS


run_case(lambda: lifting(keep_steps), lambda: lifting(keep_steps_in_place))
