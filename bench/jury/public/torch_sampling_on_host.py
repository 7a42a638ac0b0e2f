"""Decodes one token after the other for 16 sequences, with a vocabulary of 50,257.

At fault: the probabilities go to the host, which draws the tokens and sends them back.
The pattern is that of rasbt/reasoning-from-scratch, whose issue 177 draws on the device instead."""
import torch

from case import run_case

SEQUENCES, WIDTH, VOCABULARY, ROUNDS = 16, 1024, 50257, 150


def made_model():
    torch.manual_seed(1)
    embedding = torch.randn(VOCABULARY, WIDTH, device="cuda")
    head = torch.randn(WIDTH, VOCABULARY, device="cuda") / WIDTH**0.5
    # To divide by such numbers and take the largest draws with the given probabilities.
    noise = torch.empty(SEQUENCES, VOCABULARY).exponential_()
    return embedding, head, noise


def on_host():
    embedding, head, noise = made_model()
    state = [embedding[:SEQUENCES].clone()]

    def one_round():
        probabilities = (state[0] @ head).softmax(-1)
        tokens = (probabilities.cpu() / noise).argmax(-1)  # fault
        state[0] = 0.5 * state[0] + embedding[tokens.cuda()]  # fault

    return one_round, lambda: state[0].double().abs().sum().item(), ROUNDS


def on_device():
    embedding, head, noise = made_model()
    noise = noise.cuda()
    state = [embedding[:SEQUENCES].clone()]

    def one_round():
        probabilities = (state[0] @ head).softmax(-1)
        tokens = (probabilities / noise).argmax(-1)
        state[0] = 0.5 * state[0] + embedding[tokens]

    return one_round, lambda: state[0].double().abs().sum().item(), ROUNDS


run_case(on_host, on_device)
