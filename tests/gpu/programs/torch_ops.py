"""A few operations of PyTorch with known faults: a transposing copy, pageable copies; and clean ones beside them."""
import sys

import torch

torch.manual_seed(0)
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 30
size = 4096
x = torch.randn(size, size, device="cuda")
rows = torch.randint(0, size, (size,), device="cuda")
layer_norm = torch.nn.LayerNorm(size, device="cuda")
pageable = torch.randn(size, size)
pinned = pageable.pin_memory()

for _ in range(steps):
    transposed = x.t().contiguous()
    gathered = x[rows]
    softmax = torch.softmax(x, dim=-1)
    normed = layer_norm(x)
    product = x @ x
    from_pageable = pageable.to("cuda")
    from_pinned = pinned.to("cuda", non_blocking=True)
    back = normed.cpu()
torch.cuda.synchronize()

print(torch.equal(transposed, x.t()), torch.equal(gathered, x[rows]), torch.equal(from_pageable, from_pinned))
print(f"{softmax.sum().item():.3f} {back.shape} {product.shape}")
