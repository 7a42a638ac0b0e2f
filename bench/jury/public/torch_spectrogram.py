"""The spectrogram of 64 recordings of 30 seconds.

Nothing is wrong: frames, transforms and squares are contiguous.
The pattern is that of pytorch/audio, src/torchaudio/functional/functional.py."""
import torch

from case import run_case

RECORDINGS, SAMPLES, POINTS, HOP, ROUNDS = 64, 480000, 1024, 512, 300


def spectrogram():
    torch.manual_seed(1)
    sound = torch.rand(RECORDINGS, SAMPLES, device="cuda") - 0.5
    window = torch.hann_window(POINTS, device="cuda")
    power = [None]

    def one_round():
        spectrum = torch.stft(sound, POINTS, HOP, window=window, return_complex=True)
        power[0] = spectrum.abs().square_()

    return one_round, lambda: power[0].double().sum().item(), ROUNDS


run_case(None, spectrogram)
