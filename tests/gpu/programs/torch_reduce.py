"""One rank of an all-reduce, with a transposing copy of its own before each: over NCCL where each rank has a GPU, else over
Gloo, where they share one."""
import os

import torch
import torch.distributed as dist

rank = int(os.environ["LOCAL_RANK"])
gpus = torch.cuda.device_count()
torch.cuda.set_device(rank % gpus)
own_gpu = gpus >= int(os.environ["WORLD_SIZE"])
dist.init_process_group("nccl" if own_gpu else "gloo")
x = torch.randn(2048, 2048, device="cuda")
# Ranks that share a GPU have its counters by turns.
for _ in range(20 if own_gpu else 400):
    copied = x.t().contiguous()
    total = torch.full((1 << 20,), float(rank + 1), device="cuda")
    dist.all_reduce(total)
torch.cuda.synchronize()
if rank == 0:
    print(f"rank {rank} of {dist.get_world_size()}: {total[0].item()} {torch.equal(copied, x.t())}", flush=True)
dist.barrier()
dist.destroy_process_group()
