"""Steps of PyTorch as a model takes them: a transposing copy, a gather, softmax, layer norm and a matrix product of
4096 x 4096. Prints one line of JSON: the time of all steps, and of the first, in which libraries are loaded. Nothing is
warmed up: a recorder that does its work in the first step is not let off."""
import json
import sys
import time

import torch

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 50
size = 4096
torch.manual_seed(0)
x = torch.randn(size, size, device="cuda")
rows = torch.randint(0, size, (size,), device="cuda")
layer_norm = torch.nn.LayerNorm(size, device="cuda")


def step():
    return (x.t().contiguous(), x[rows], torch.softmax(x, dim=-1), layer_norm(x), x @ x)


torch.cuda.synchronize()
began = time.perf_counter()
transposed, gathered, softmax, normed, product = step()
torch.cuda.synchronize()
first = time.perf_counter()
for _ in range(steps - 1):
    transposed, gathered, softmax, normed, product = step()
torch.cuda.synchronize()
ended = time.perf_counter()

host = x.cpu().double()
near = lambda result, expected: torch.allclose(result.cpu().double(), expected, rtol=1e-3, atol=1e-2)
right = (
    torch.equal(transposed.cpu(), x.cpu().t())
    and torch.equal(gathered.cpu(), x.cpu()[rows.cpu()])
    and near(softmax[:8], torch.softmax(host[:8], dim=-1))
    and near(normed[:8], torch.nn.functional.layer_norm(host[:8], (size,)))
    and torch.allclose(product[:8].cpu().double(), host[:8] @ host, rtol=1e-2, atol=1.0)
)
print(json.dumps({"steps": steps, "loop_ns": round((ended - began) * 1e9), "first_ns": round((first - began) * 1e9),
                  "right": bool(right)}))
sys.exit(0 if right else 1)
