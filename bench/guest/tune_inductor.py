"""Lets torch.compile tune a small network (max-autotune), and prints what it chose: the tiles of each product, and the launch
shape of each of the other kernels. TORCHINDUCTOR_CACHE_DIR must name a new folder, because what is in it is not tuned again."""
import glob
import json
import os
import re

import torch
import torch.nn as nn
from torch._inductor.utils import run_and_get_code

TIMES = ("time_taken_ms", "triton_cache_hash")  # differ from run to run whatever is chosen


def products(code: str) -> dict:
    """The constants of each kernel made from a template, and how often a library's product was called instead."""
    chosen = {}
    for name, body in re.findall(r"def (triton_tem_\w+)\([^)]*\):(.*?)'''", code, re.S):
        constants = re.findall(r"(\w+) : tl\.constexpr = (\w+)", body)
        chosen[name] = " ".join(f"{key}={value}" for key, value in constants)
    chosen["calls of libraries"] = " ".join(re.findall(r"extern_kernels\.(\w+)\(", code))
    return chosen


def main():
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    net = nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.LayerNorm(4096), nn.Linear(4096, 512), nn.Softmax(-1)).cuda().half()
    x = torch.randn(4096, 1024, device="cuda", dtype=torch.float16)
    with torch.no_grad():
        _, codes = run_and_get_code(torch.compile(net, mode="max-autotune-no-cudagraphs"), x)
    torch.cuda.synchronize()
    chosen = products("\n".join(codes))
    for path in glob.glob(os.path.join(os.environ["TORCHINDUCTOR_CACHE_DIR"], "**", "*.best_config"), recursive=True):
        with open(path) as file:
            best = {key: value for key, value in json.load(file).items() if key not in TIMES}
        chosen[os.path.basename(path)[:16]] = json.dumps(best, sort_keys=True)
    print(json.dumps(chosen))


if __name__ == "__main__":
    main()
