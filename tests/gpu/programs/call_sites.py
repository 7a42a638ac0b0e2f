"""PyTorch from places that it says: a forward pass with modules, a backward pass, an optimiser, a captured graph, copies both
ways. Prints "done"; EXPECTED becomes a JSON object: for each kind of call the lines of this file that may be named."""

import inspect
import json
import sys

import torch

lines = {}


def here(what):
    lines.setdefault(what, []).append(inspect.currentframe().f_back.f_lineno)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(512, 512)

    def forward(self, x):
        here("forward"); x = self.inner(x)
        here("forward"); x = torch.relu(x)
        here("forward"); return x.t().contiguous().t() + x


def step(model, optimiser, batch):
    here("upload"); x = batch.to("cuda")
    loss = model(x).square().mean(); here("forward")
    optimiser.zero_grad(set_to_none=True)
    here("backward"); loss.backward()
    here("optimiser"); optimiser.step()
    here("download"); return loss.item()


torch.manual_seed(0)
model = torch.nn.Sequential(Block(), Block())
here("setup"); model = model.to("cuda")
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=True)
batch = torch.randn(512, 512)
for _ in range(40):
    step(model, optimiser, batch)

x = torch.randn(1 << 20, device="cuda"); here("setup")
warm = torch.cuda.Stream()
with torch.cuda.stream(warm):
    for _ in range(3):
        y = x * 2 + 1; here("setup")
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = (x * 2 + 1).cos(); here("captured")
for _ in range(50):
    here("replay"); graph.replay()
torch.cuda.synchronize()
# A file whose lines launch one kernel each.
with open("one_each.py", "w") as file:
    file.write("def run(x):\n" + "    x = x.mul(1.001)\n" * 200)
sys.path.insert(0, ".")
import one_each  # noqa: E402
here("setup"); one_each.run(x)
torch.cuda.synchronize()
with open(sys.argv[1], "w") as file:
    json.dump({what: sorted(set(found)) for what, found in lines.items()}, file)
print("done")
