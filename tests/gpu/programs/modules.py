"""PyTorch's modules, nested and in turn, eager and under torch.compile: prints numbers that must stay what they are."""

import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(512, 512)

    def forward(self, x):
        return torch.relu(self.inner(x)) + x


class Guarded(torch.nn.Module):
    """One of its modules fails, and it goes on."""

    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        try:
            self.block(x[:, :3])
        except RuntimeError:
            pass
        return self.block(x).sigmoid()


torch.manual_seed(0)
model = torch.nn.Sequential(Block(), Guarded()).to("cuda")
optimiser = torch.optim.SGD(model.parameters(), lr=1e-3)
batch = torch.randn(512, 512).to("cuda")
for _ in range(40):
    loss = model(batch).square().mean()
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    optimiser.step()
print(loss.item())
# The hooks must not be seen by the compiler, which would refuse them with fullgraph.
compiled = torch.compile(Block().to("cuda"), fullgraph=True, backend="eager")
for _ in range(3):
    y = compiled(batch)
print(y.sum().item())
print(torch._dynamo.utils.counters["graph_break"])
print("done")
