# Asynchronous copies are counted by themselves, and the counts of other kernels stay what they are. No TMA here.
same "$PROGRAMS/async_copies"
says right
strided_is_exact
from=$(readings_of copy_async)
is 51200 "SELECT DISTINCT value FROM $from AND m.key = 'async_copy_bytes'"
is 1600 "SELECT DISTINCT value FROM $from AND m.key = 'async_copy_sectors'"
is 100 "SELECT DISTINCT value FROM $from AND m.key = 'async_copy_requests'"
is 0 "SELECT DISTINCT value FROM $from AND m.key = 'tma_instructions'"
is 0 "SELECT DISTINCT value FROM $from AND m.key = 'global_load_bytes'"
is 0 "SELECT DISTINCT value FROM $(readings_of strided) AND m.key = 'async_copy_requests'"
