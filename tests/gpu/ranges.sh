# NVTX ranges by name, depth and time; waits listed when they really waited, and counted when they did not.
same "$PROGRAMS/ranges"
says right
strided_is_exact
is 'NULL|across|1|start_end|0
library|call|10|push_pop|0
NULL|step|10|push_pop|1
NULL|whole|1|push_pop|0' "SELECT n.domain, n.name, count(*), k.name, min(depth) FROM nvtx_range r
  JOIN nvtx_name n ON n.id = r.name_id JOIN range_kind k ON k.id = r.kind GROUP BY n.id ORDER BY n.name"
is 0 "SELECT count(*) FROM nvtx_range WHERE end_ns IS NULL OR end_ns < start_ns"
is 1 "SELECT (SELECT start_ns FROM nvtx_range r JOIN nvtx_name n ON n.id = name_id WHERE n.name = 'whole') <
      (SELECT min(start_ns) FROM launch)"
# Kernels ran inside of the steps, on the same clock: all that are timed.
is 0 "SELECT count(*) FROM launch l JOIN kernel_group g ON g.id = group_id JOIN kernel k ON k.id = kernel_id
  WHERE k.name LIKE '%strided%' AND start_ns IS NOT NULL AND NOT EXISTS (SELECT 1 FROM nvtx_range r
  JOIN nvtx_name n ON n.id = name_id WHERE n.name = 'step' AND l.start_ns BETWEEN r.start_ns AND r.end_ns)"
# A launch that is measured is waited for by us, and leaves the program nothing to wait for.
is 1 "SELECT count(*) >= 2 FROM synchronization s JOIN synchronization_kind k ON k.id = kind
  WHERE k.name = 'stream' AND wait_ns > 1000000"
is 1 "SELECT calls >= 1005 AND listed < 500 FROM synchronization_total t JOIN synchronization_kind k ON k.id = kind
  WHERE k.name = 'stream'"
is 1 "SELECT count(*) > 0 FROM synchronization_total t JOIN synchronization_kind k ON k.id = kind
  WHERE k.name = 'context' AND calls >= 10"
