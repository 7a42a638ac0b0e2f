"""Labels the words of 512 sentences of 4 to 32 words a round: the sentences are padded, then three layers see each word and
its neighbours.

At fault: a loop copies each sentence to its place, so a round has 512 small copies, which the host submits one by one.
The pattern is that of explosion/thinc, pull request 860: one kernel pads all sentences, for padding had cost more than the
layers of a parser."""
import random

import cupy

from case import run_case

SENTENCES, SHORTEST, LONGEST, WIDTH, LAYERS, LABELS, BATCHES, ROUNDS = 512, 4, 32, 512, 3, 48, 6, 1400
PLACES = LONGEST + 2  # a row of zeros on both sides

pad_rows = cupy.ElementwiseKernel(
    "raw float32 rows, raw int32 begins, raw int32 lengths, int32 places, int32 width", "float32 padded",
    """const int place = i / width, sentence = place / places, word = place - sentence * places - 1;
    padded = word >= 0 && word < lengths[sentence] ? rows[(begins[sentence] + word) * width + (i - place * width)] : 0.0f""",
    "pad_rows")
# A row of `found` has what a word gives to the next one, to itself, and to the one before.
joined = cupy.ElementwiseKernel(
    "raw float32 found, raw bool kept, int32 width", "float32 out",
    """const int place = i / width, column = i - place * width;
    if (kept[place]) {
        const float given = found[(place - 1) * 3 * width + column] + found[(place * 3 + 1) * width + column] +
                            found[(place * 3 + 5) * width + column];
        out = given > 0.0f ? given : 0.1f * given;
    } else {
        out = 0.0f;
    }""", "joined")


class Batch:
    """The vectors of all words, sentence after sentence, and which places have a word once they are padded."""
    def __init__(self, seed):
        lengths = random.Random(seed).choices(range(SHORTEST, LONGEST + 1), k=SENTENCES)
        begins = [sum(lengths[:number]) for number in range(SENTENCES)]
        self.rows = cupy.random.default_rng(seed).standard_normal((sum(lengths), WIDTH), dtype=cupy.float32)
        self.begins, self.lengths = (cupy.array(numbers, dtype=cupy.int32) for numbers in (begins, lengths))
        self.sentences = [self.rows[begin:begin + length] for begin, length in zip(begins, lengths)]
        self.kept = cupy.array([[0 < place <= length for place in range(PLACES)] for length in lengths]).ravel()


def padded_in_turn(batch):
    padded = cupy.zeros((SENTENCES, PLACES, WIDTH), dtype=cupy.float32)
    for row, sentence in zip(padded, batch.sentences):  # fault
        row[1:1 + len(sentence)] = sentence  # fault
    return padded


def padded_at_once(batch):
    padded = cupy.empty((SENTENCES, PLACES, WIDTH), dtype=cupy.float32)
    return pad_rows(batch.rows, batch.begins, batch.lengths, PLACES, WIDTH, padded)


def made_weights():
    draw = cupy.random.default_rng(1)
    shapes = LAYERS * [(WIDTH, 3 * WIDTH)] + [(WIDTH, LABELS)]
    return [draw.standard_normal(shape, dtype=cupy.float32) / WIDTH ** 0.5 for shape in shapes]


def labelling(pad):
    batches, (*layers, last), state = [Batch(seed) for seed in range(BATCHES)], made_weights(), [0, None]

    def one_round():
        batch = batches[state[0] % BATCHES]
        hidden = pad(batch).reshape(-1, WIDTH)  # fault
        for weights in layers:
            hidden = joined(hidden @ weights, batch.kept, WIDTH, cupy.empty_like(hidden))
        state[1] = hidden @ last
        state[0] += 1

    return one_round, lambda: float(abs(state[1]).sum(dtype=cupy.float64)), ROUNDS


run_case(lambda: labelling(padded_in_turn), lambda: labelling(padded_at_once))
