# A program that profiles itself with torch.profiler still gets its result, and the capture says what it lost by that.
has_module torch
alike python3 "$here/programs/torch_profiler.py"
says 'kernels seen by the profiler: 20'
is 1 "SELECT count(*) > 0 FROM diagnostic WHERE code = 'cupti_in_use'"
