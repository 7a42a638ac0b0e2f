"""A training step of two layers of LSTM: 64 steps of 128 sequences.

Nothing is wrong: the library runs the layers, and neither the loss nor a gradient comes to the host.
The pattern is that of pytorch/examples, word_language_model/model.py."""
import torch

from case import run_case

STEPS, SEQUENCES, WIDTH, RATE, ROUNDS = 64, 128, 1024, 1e-2, 60


def training():
    torch.manual_seed(1)
    model = torch.nn.LSTM(WIDTH, WIDTH, num_layers=2).cuda()
    parameters = list(model.parameters())
    words = torch.rand(STEPS, SEQUENCES, WIDTH, device="cuda")
    state = [torch.zeros((), device="cuda")]

    def one_round():
        out, _ = model(words)
        loss = (out - 0.5).square().mean()
        loss.backward()
        with torch.no_grad():
            gradients = [parameter.grad for parameter in parameters]
            torch._foreach_add_(parameters, gradients, alpha=-RATE)
            torch._foreach_zero_(gradients)
        state[0] = loss.detach()

    return one_round, lambda: state[0].item(), ROUNDS


run_case(None, training)
