"""Trains a small classifier on what a large one says of 8192 rows.

Nothing is wrong: both have their values on the device, the teacher keeps no gradients, and the loss is read once in
50 steps.
The pattern is that of huggingface/pytorch-image-models, timm/task/distillation.py, with other networks."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

ROWS, WIDTH, LARGE, SMALL, CLASSES, EACH, ROUNDS = 8192, 1024, 4096, 1024, 1000, 50, 400

torch.set_float32_matmul_precision("high")


def network(inner):
    return nn.Sequential(nn.Linear(WIDTH, inner), nn.ReLU(), nn.Linear(inner, inner), nn.ReLU(),
                         nn.Linear(inner, CLASSES)).to("cuda")


def distilling():
    torch.manual_seed(1)
    teacher, student = network(LARGE).bfloat16(), network(SMALL)
    optimiser = torch.optim.AdamW(student.parameters(), lr=1e-5, fused=True)
    rows = torch.randn(ROWS, WIDTH, device="cuda")
    half_rows, state = rows.bfloat16(), [0, 0.0]

    def one_round():
        with torch.no_grad():
            wanted = functional.log_softmax(teacher(half_rows), dim=1, dtype=torch.float32)
        said = functional.log_softmax(student(rows), dim=1)
        loss = functional.kl_div(said, wanted, reduction="batchmean", log_target=True)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        state[0] += 1
        if state[0] % EACH == 0:
            state[1] = loss.item()

    return one_round, lambda: state[1], ROUNDS


run_case(None, distilling)
