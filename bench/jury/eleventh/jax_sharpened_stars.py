"""Sharpens 16 pictures of stars by the method of Richardson and Lucy: four transforms a step, a step a round.

Nothing is wrong: the transform of the blur is made once, pictures stay on the device, and a step is compiled as a whole and
gives its result the memory of the last.
The pattern is that of maweigert/gputools, issue 17: what depends on the blur only is made once for all steps."""
import functools

import jax
import jax.numpy as jnp

from case import run_case

PICTURES, SIDE, BLUR, LEAST, ROUNDS = 16, 1024, 2.5, 1e-4, 1800


@functools.partial(jax.jit, donate_argnums=0)
def sharpened(guess, pictures, blur):
    seen = jnp.fft.irfft2(jnp.fft.rfft2(guess) * blur, s=(SIDE, SIDE))
    ratio = pictures / jnp.maximum(seen, LEAST)
    change = jnp.fft.irfft2(jnp.fft.rfft2(ratio) * jnp.conj(blur), s=(SIDE, SIDE))
    return jnp.maximum(guess * change, 0)


def made_pictures():
    """Pictures through the blur, and the transform of the blur, which is a bell on a torus."""
    places = jnp.minimum(jnp.arange(SIDE), SIDE - jnp.arange(SIDE)).astype(jnp.float32)
    bell = jnp.exp(-(places / BLUR) ** 2 / 2)
    bell = bell[:, None] * bell
    blur = jnp.fft.rfft2(bell / bell.sum())
    bright, faint = jax.random.split(jax.random.key(1))
    stars = 200 * jax.random.uniform(bright, (PICTURES, SIDE, SIDE)) ** 400
    sky = 1 + 0.1 * jax.random.uniform(faint, (PICTURES, SIDE, SIDE))
    return jnp.maximum(jnp.fft.irfft2(jnp.fft.rfft2(stars) * blur, s=(SIDE, SIDE)), 0) + sky, blur


def sharpening():
    pictures, blur = made_pictures()
    state = [jnp.full_like(pictures, pictures.mean())]

    def one_round():
        state[0] = sharpened(state[0], pictures, blur)
        return state[0]

    return one_round, lambda: float(jnp.abs(state[0]).sum()), ROUNDS


run_case(None, sharpening)
