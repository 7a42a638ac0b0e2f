"""An activation written as operations on arrays, or as one function of the library: written|library."""
import sys

import torch


def written(x):
    return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x.pow(3))))  # eight operations


def library(x):
    return torch.nn.functional.gelu(x, approximate="tanh")


torch.manual_seed(0)
x = torch.randn(8192, 8192, device="cuda")
activate = {"written": written, "library": library}[sys.argv[1]]
with torch.no_grad():
    for _ in range(100):
        y = activate(x)
torch.cuda.synchronize()
print(f"{y.sum().item():.3f}")
