"""Profiles itself twice: prints how many kernels of its own torch.profiler saw. Launches 5 kernels before, and 30
after each profile, which begin once the profiler has had time to end."""
import time

import torch
from torch.profiler import ProfilerActivity, profile

x = torch.randn(2048, 2048, device="cuda")
for _ in range(5):
    before = x.t().contiguous()
torch.cuda.synchronize()

for _ in range(2):
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        for _ in range(20):
            copied = x.t().contiguous()
        torch.cuda.synchronize()
    kernels = [event for event in profiler.events()
               if event.device_type == torch.autograd.DeviceType.CUDA and "kernel" in event.name.lower()]
    print("kernels seen by the profiler:", len(kernels))
    print("with a duration:", sum(1 for event in kernels if event.device_time > 0))
    time.sleep(1.5)
    for _ in range(30):
        after = x.t().contiguous()
    torch.cuda.synchronize()
print(torch.equal(copied, x.t()), torch.equal(after, before))
