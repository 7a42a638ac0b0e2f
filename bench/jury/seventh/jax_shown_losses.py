"""Trains a network on 16,384 records a step, which the host draws by weights, and keeps the losses for a curve.

At fault: the host asks for the loss in each step, so that it draws the next records only when the device has ended, and the
device waits meanwhile.
The patterns are those of AI-Hypercomputer/maxdiffusion, pull request 81, where each such read breaks the overlap of the input
with the steps, and of AI-Hypercomputer/maxtext, pull request 1956. Here losses are read once in 40 steps."""
import functools

import jax
import jax.numpy as jnp
import numpy

from case import run_case

RECORDS, DRAWN, INWARD, WIDTH, LAYERS, EACH, ROUNDS = 65536, 16384, 256, 2048, 4, 40, 160


def forward(weights, records):
    hidden = records
    for own in weights[:-1]:
        hidden = jax.nn.relu(hidden @ own)
    return (hidden @ weights[-1])[:, 0]


@functools.partial(jax.jit, donate_argnums=0)
def learned(weights, records, wanted, drawn):
    def loss_of(weights):
        return jnp.square(forward(weights, records[drawn]) - wanted[drawn]).mean()

    loss, slopes = jax.value_and_grad(loss_of)(weights)
    return [own - 1e-3 * slope for own, slope in zip(weights, slopes)], loss


class Training:
    def __init__(self):
        keys = jax.random.split(jax.random.key(1), LAYERS + 3)
        widths = [INWARD, *[WIDTH] * LAYERS, 1]
        self.weights = [jax.random.normal(key, (one, other)) / one ** 0.5 for key, one, other in zip(keys, widths, widths[1:])]
        self.records = jax.random.normal(keys[-1], (RECORDS, INWARD))
        self.wanted = jnp.tanh(self.records[:, :8].sum(1))
        self.random = numpy.random.default_rng(1)
        self.chances = self.random.random(RECORDS)

    def step(self):
        """On the host: which records; on the device: the step."""
        bounds = numpy.cumsum(self.chances)
        drawn = numpy.searchsorted(bounds, self.random.random(DRAWN) * bounds[-1]).astype(numpy.int32)
        self.weights, loss = learned(self.weights, self.records, self.wanted, drawn)
        return loss


def read_at_once():
    training, curve = Training(), []

    def one_round():
        curve.append(float(training.step()))  # fault
        return training.weights

    return one_round, lambda: sum(curve), ROUNDS


def read_later():
    training, curve, waiting = Training(), [], []

    def one_round():
        waiting.append(training.step())
        if len(waiting) == EACH:
            curve.extend(numpy.asarray(jnp.stack(waiting)).tolist())
            waiting.clear()
        return training.weights

    return one_round, lambda: sum(curve), ROUNDS


run_case(read_at_once, read_later)
