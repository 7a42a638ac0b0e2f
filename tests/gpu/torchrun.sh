# Two processes under torchrun that reduce: both are in one capture and in one report, and NCCL's kernels are left alone.
has_module torch
gpus=$(python3 -c 'import torch; print(torch.cuda.device_count())')
export OMP_NUM_THREADS=1
alike python3 -m torch.distributed.run --nproc-per-node 2 --master-port 29517 "$here/programs/torch_reduce.py"
says 'rank 0 of 2: 3.0 True'
# The launcher uses CUDA, too, and has no rank.
is 2 "SELECT count(*) FROM process WHERE rank IS NOT NULL"
is "$(printf '0|0\n1|1')" "SELECT rank, local_rank FROM process WHERE rank IS NOT NULL ORDER BY rank"
is 2 "SELECT count(DISTINCT g.process_id) FROM $(readings_of copy)"
"$COALESCOPE" report same.coal >report || fail "no report"
grep -q 'ranks 0 to 1' report || fail "the report does not name the ranks: $(cat report)"
[ "$gpus" -ge 2 ] || { echo "note: over Gloo, both ranks on one GPU: NCCL needs two"; exit 0; }
never_measured nccl
