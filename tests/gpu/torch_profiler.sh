# A program that profiles itself with torch.profiler still gets its result. The capture says what it lost by that, and goes
# on between the profiles and after the last one.
has_module torch
alike python3 "$here/programs/torch_profiler.py"
says 'kernels seen by the profiler: 20'
is 1 "SELECT count(*) > 0 FROM diagnostic WHERE code = 'cupti_in_use'"
is 2 "SELECT count FROM diagnostic WHERE code = 'cupti_given_back'"
is 2 "SELECT count(*) FROM trace_gap WHERE ended_ns > began_ns"
# 30 after each profile, and what the program's last comparison launches.
after='launch WHERE start_ns > (SELECT min(began_ns) FROM trace_gap)'
is 1 "SELECT count(*) BETWEEN 60 AND 80 FROM $after"
is 0 "SELECT count(*) FROM $after AND gpu_ns IS NULL"
is 0 "SELECT count(*) FROM $after AND start_ns > (SELECT max(ended_ns) FROM process)"
