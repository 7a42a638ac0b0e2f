"""Profiles itself: prints how many kernels of its own torch.profiler saw."""
import torch
from torch.profiler import ProfilerActivity, profile

x = torch.randn(2048, 2048, device="cuda")
for _ in range(5):
    before = x.t().contiguous()
torch.cuda.synchronize()

with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
    for _ in range(20):
        copied = x.t().contiguous()
    torch.cuda.synchronize()
kernels = [event for event in profiler.events()
           if event.device_type == torch.autograd.DeviceType.CUDA and "kernel" in event.name.lower()]
print("kernels seen by the profiler:", len(kernels))
print("with a duration:", sum(1 for event in kernels if event.device_time > 0))
for _ in range(5):
    after = x.t().contiguous()
torch.cuda.synchronize()
print(torch.equal(copied, x.t()), torch.equal(after, before))
