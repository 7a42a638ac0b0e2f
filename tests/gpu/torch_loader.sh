# A DataLoader with two workers, forked and started anew, beside a process that uses CUDA.
has_module torch
for method in fork spawn; do
  alike python3 "$here/programs/torch_loader.py" $method
  says "$method 8 batches"
  is '1|1' "SELECT count(*), min(clean) FROM process"
  is 8 "SELECT count(*) FROM transfer t JOIN direction d ON d.id = t.direction
        WHERE d.name = 'host_to_device' AND bytes = 262144"
done
