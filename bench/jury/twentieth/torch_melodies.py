"""Tells how surprising each note is of 256 melodies that are played live: each round a transformer of 4 layers in
bfloat16 hears the next 4 notes of each, one after the other, and looks back at the last 640 notes in each layer.

At fault: keys and values of the last 640 notes are put together anew for each note, without the oldest ones and with
those of the new note, so all 2.7 GB are read and written for 4 MB that change; write the new ones over the oldest
ones, as attention does not mind where they stand.
The pattern is that of Blaizzy/mlx-audio-swift, pull request 264 (each note of a decoder copied a window of 8192 rows in
each layer; now rows are written in place), and Alescontrela/AMP_for_hardware, pull request 32: a ring rather than
observations that are moved by one place."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

MELODIES, NOTES, BEATS, WIDTH, HEADS, LAYERS, WINDOW, STEPS = 256, 512, 16, 1024, 16, 4, 640, 4
SIZE, LENGTH, ROUNDS = WIDTH // HEADS, 2048, 350


class Window:
    """Keys and values of the last notes."""
    def __init__(self):
        self.keys, self.values = (torch.randn(MELODIES, HEADS, WINDOW, SIZE) for _ in range(2))

    def add(self, keys, values, number):
        raise NotImplementedError


class Row(Window):
    def add(self, keys, values, number):
        self.keys = torch.cat((self.keys[:, :, 1:], keys.unsqueeze(2)), 2)  # fault
        self.values = torch.cat((self.values[:, :, 1:], values.unsqueeze(2)), 2)  # fault


class Ring(Window):
    def add(self, keys, values, number):
        self.keys[:, :, number % WINDOW] = keys
        self.values[:, :, number % WINDOW] = values


class Layer(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state, number):
        queries, keys, values = self.project(self.norm(state)).view(MELODIES, 3, HEADS, SIZE).unbind(1)
        self.window.add(keys, values, number)  # fault
        heard = functional.scaled_dot_product_attention(queries.unsqueeze(2), self.window.keys, self.window.values)
        state = state + self.out(heard.reshape(MELODIES, WIDTH))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Listener(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.notes, self.beats = nn.Embedding(NOTES, WIDTH), nn.Parameter(torch.randn(BEATS, WIDTH))
        self.layers = nn.ModuleList(Layer(window()) for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, NOTES)

    def forward(self, notes, number):
        """What note is likely to be next."""
        state = self.notes(notes) + self.beats[number % BEATS]
        for layer in self.layers:
            state = layer(state, number)
        return self.head(self.norm(state)).float()


def playing(window):
    torch.manual_seed(1)
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda"):
        listener = Listener(window).eval()
        notes, surprise = torch.randint(NOTES, (LENGTH, MELODIES)), torch.zeros((), dtype=torch.float32)
    torch.set_default_dtype(torch.float32)
    number = [0]

    @torch.inference_mode()
    def one_round():
        for _ in range(STEPS):
            heard, following = notes[number[0] % LENGTH], notes[(number[0] + 1) % LENGTH]
            surprise.add_(functional.cross_entropy(listener(heard, number[0]), following))
            number[0] += 1

    return one_round, lambda: surprise.item(), ROUNDS


run_case(lambda: playing(Row), lambda: playing(Ring))
