"""One fused element-wise kernel, compiled by torch.compile, and what eager PyTorch makes of the same."""
import torch


@torch.compile
def step(x):
    return x * 0.5 + 1.0


x = torch.arange(4 << 20, device="cuda", dtype=torch.float32)
for _ in range(30):
    y = step(x)
torch.cuda.synchronize()
print(torch.allclose(y, x * 0.5 + 1.0, atol=1e-5), "after 30 steps")
