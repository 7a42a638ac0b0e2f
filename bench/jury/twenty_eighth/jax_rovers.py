"""Steers sixteen rovers over rough ground: each round, they start from other places and make four moves. Before a
move, each rover tries 8192 plans that differ by chance from the one it follows, 64 moments ahead. What a plan costs is
how far from its goal, how steep and how fast it goes. The plan to follow is a mean, in which cheap ones weigh more."""
import jax
import jax.numpy as jnp
from jax import lax

from case import run_case

ROVERS, PLANS, AHEAD, MOVES, SIZE, ROUNDS = 16, 8192, 64, 4, 1024, 450
METRE, STEP, FASTEST, SPREAD, COLD, WAVES = 4.0, 0.2, 3.0, 0.5, 8.0, 24


@jax.jit
def made_ground(key):
    """Heights of a square of 256 metres, four each metre."""
    way_key, phase_key = jax.random.split(key)
    ways = 0.25 * jax.random.normal(way_key, (WAVES, 2))
    phases = 6.28 * jax.random.uniform(phase_key, (WAVES,))
    places = jnp.arange(SIZE) / METRE
    waves = jnp.sin(ways[:, :1, None] * places[:, None] + ways[:, 1:, None] * places + phases[:, None, None])
    return (waves / (0.3 + jnp.abs(ways).sum(1))[:, None, None]).sum(0) * 0.2


def slope(ground, x, y):
    """How steep it is along both axes."""
    column, row = jnp.clip(x * METRE, 0, SIZE - 2.01), jnp.clip(y * METRE, 0, SIZE - 2.01)
    left, top = column.astype(jnp.int32), row.astype(jnp.int32)
    right, down = column - left, row - top
    one, two = ground[top, left], ground[top, left + 1]
    three, four = ground[top + 1, left], ground[top + 1, left + 1]
    along = METRE * ((two - one) * (1 - down) + (four - three) * down)
    return along, METRE * ((three - one) * (1 - right) + (four - two) * right)


def driven(ground, rover, push):
    """Where a rover is a moment later, and how steep its way was."""
    x, y, heading, speed = rover
    along, across = slope(ground, x, y)
    cosine, sine = jnp.cos(heading), jnp.sin(heading)
    climb = along * cosine + across * sine
    speed = jnp.clip(speed + STEP * (push[..., 0] - 0.5 * speed - 2.0 * climb), -0.5, FASTEST)
    heading = heading + STEP * speed * jnp.tanh(push[..., 1])
    return (x + STEP * speed * cosine, y + STEP * speed * sine, heading, speed), along * along + across * across


def tried(ground, goal, plan, noise, rovers, cost):
    """All rovers a moment later, and what their plans have cost so far; `plan` and `noise` are of that moment."""
    push = plan[:, None] + SPREAD * noise
    (x, y, heading, speed), steep = driven(ground, rovers, push)
    far = jnp.sqrt((x - goal[:, :1]) ** 2 + (y - goal[:, 1:]) ** 2 + 0.01)
    effort = 0.02 * (push * push).sum(-1)
    return (x, y, heading, speed), cost + STEP * (far + 4.0 * steep + effort + 0.1 * speed * speed)


@jax.jit
def moment(ground, goal, plan, noise, time, rovers, cost):
    return time + 1, *tried(ground, goal, plan[time], noise[time], rovers, cost)


@jax.jit
def spread(rovers):
    """The time, the rovers of all plans, and what these have cost."""
    many = tuple(jnp.broadcast_to(part[:, None], (ROVERS, PLANS)).astype(jnp.float32) for part in rovers)
    return jnp.int32(0), many, jnp.zeros((ROVERS, PLANS))


def by_moments(ground, goal, plan, noise, rovers):
    state = spread(rovers)
    for _ in range(AHEAD):  # fault
        state = moment(ground, goal, plan, noise, *state)  # fault
    return state[-1]


@jax.jit
def at_once(ground, goal, plan, noise, rovers):
    def step(state, pushes):
        return tried(ground, goal, *pushes, *state), None

    return lax.scan(step, spread(rovers)[1:], (plan, noise), unroll=4)[0][-1]


@jax.jit
def begun(key, number):
    """Where rovers start, and where they are to go; their plan is to go straight on."""
    turns = 0.37 * jnp.arange(ROVERS) + 0.11 * number
    x, y = 128 + 70 * jnp.cos(turns), 128 + 70 * jnp.sin(turns)
    goal = jnp.stack((128 + 90 * jnp.cos(turns + 0.5), 128 + 90 * jnp.sin(turns + 0.5)), 1)
    plan = jnp.broadcast_to(jnp.array((1.0, 0.0)), (AHEAD, ROVERS, 2))
    return (x, y, turns + 1.57, jnp.ones(ROVERS)), goal, plan, jax.random.fold_in(key, number), number + 1


@jax.jit
def chance(key):
    key, own_key = jax.random.split(key)
    return jax.random.normal(own_key, (AHEAD, ROVERS, PLANS, 2)), key


@jax.jit
def moved(ground, plan, noise, cost, rovers, total):
    """The rovers after a move by the mean of all plans, and the plan that is left for those to come."""
    weights = jax.nn.softmax(-cost / COLD, 1)
    plan = plan + SPREAD * (weights[:, :, None] * noise).sum(2)
    rovers, _ = driven(ground, rovers, plan[0])
    plan = jnp.concatenate((plan[1:], plan[-1:]))
    return rovers, plan, total + (weights * cost).sum(1).mean() / MOVES


class Mission:
    def __init__(self, costs):
        self.ground, self.key = made_ground(jax.random.key(1)), jax.random.key(2)
        self.total, self.costs, self.number = jnp.float32(0), costs, jnp.int32(0)

    def explore(self):
        rovers, goal, plan, key, self.number = begun(self.key, self.number)
        for _ in range(MOVES):
            noise, key = chance(key)
            cost = self.costs(self.ground, goal, plan, noise, rovers)  # fault
            rovers, plan, self.total = moved(self.ground, plan, noise, cost, rovers, self.total)
        return self.total


def landing(costs):
    mission = Mission(costs)
    return mission.explore, lambda: mission.total, ROUNDS


run_case(lambda: landing(by_moments), lambda: landing(at_once))
