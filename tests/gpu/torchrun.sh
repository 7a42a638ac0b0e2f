# Two processes under torchrun that reduce over NCCL: both are in the capture, and NCCL's kernels are left alone.
has_module torch
[ "$(python3 -c 'import torch; print(torch.cuda.device_count())')" -ge 2 ] || skip "NCCL needs two GPUs, this machine has one"
export OMP_NUM_THREADS=1
alike python3 -m torch.distributed.run --nproc-per-node 2 --master-port 29517 "$here/programs/torch_reduce.py"
says 'rank 0 of 2: 3.0 True'
# The launcher uses CUDA, too, and has no rank.
is 2 "SELECT count(*) FROM process WHERE rank IS NOT NULL"
is "$(printf '0|0\n1|1')" "SELECT rank, local_rank FROM process WHERE rank IS NOT NULL ORDER BY rank"
never_measured nccl
is 2 "SELECT count(DISTINCT g.process_id) FROM $(readings_of copy)"
