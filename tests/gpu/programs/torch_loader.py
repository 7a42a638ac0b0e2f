"""Loads batches with two worker processes, started in the way that the argument names, while CUDA is in use."""
import sys

import torch


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((8192,), float(index))


def main(method):
    on_device = torch.ones(8192, device="cuda")
    loader = torch.utils.data.DataLoader(Rows(), batch_size=8, num_workers=2, multiprocessing_context=method,
                                         pin_memory=True)
    total = torch.zeros((), device="cuda", dtype=torch.float64)
    batches = 0
    for batch in loader:
        total += (batch.to("cuda", non_blocking=True) * on_device).sum(dtype=torch.float64)
        batches += 1
    print(method, batches, "batches", total.item())


if __name__ == "__main__":
    main(sys.argv[1])
