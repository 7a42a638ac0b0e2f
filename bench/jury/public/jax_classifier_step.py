"""A step of training of a small classifier, compiled as a whole.

Nothing is wrong: data and parameters stay on the device, and the compiler chooses the layouts.
The pattern is that of jax-ml/jax, examples/mnist_classifier_fromscratch.py."""
import jax
import jax.numpy as jnp

from case import run_case

SIZES, BATCH, RATE, ROUNDS = (1024, 4096, 4096, 16), 4096, 1e-3, 60


def loss_of(parameters, images, labels):
    x = images
    for weights, bias in parameters[:-1]:
        x = jnp.tanh(x @ weights + bias)
    weights, bias = parameters[-1]
    logits = x @ weights + bias
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * labels, axis=1))


@jax.jit
def step(parameters, images, labels):
    loss, gradients = jax.value_and_grad(loss_of)(parameters, images, labels)
    return loss, jax.tree.map(lambda p, g: p - RATE * g, parameters, gradients)


def training():
    keys = jax.random.split(jax.random.key(1), len(SIZES))
    parameters = [(jax.random.normal(key, (m, n)) / m**0.5, jnp.zeros(n))
                  for key, m, n in zip(keys[1:], SIZES[:-1], SIZES[1:])]
    images = jax.random.uniform(keys[0], (BATCH, SIZES[0]))
    labels = jax.nn.one_hot(jnp.arange(BATCH) % SIZES[-1], SIZES[-1])
    state = [jnp.zeros(()), parameters]

    def one_round():
        state[0], state[1] = step(state[1], images, labels)
        return state[0]

    return one_round, lambda: state[0], ROUNDS


run_case(None, training)
