# Allocations of every kind with size, end and the function that asked; where a kernel's pointers led; and what managed
# memory did. The runtime is linked in: its own functions are not taken for the program's.
same "$PROGRAMS/memory"
says "last 2, managed 1"
kinds="SELECT k.name FROM allocation a JOIN allocation_kind k ON k.id = a.kind WHERE bytes ="
is device "$kinds 1000064"
is pinned "$kinds 2000128"
is managed "$kinds 3000192"
is pool "$kinds 4000256"
is registered "$kinds 4096 * 1223"
is array "$kinds 37 * 41 * 16"
is 1 "SELECT count(*) FROM allocation WHERE bytes = 37 * 41 * 16 AND freed_ns > allocated_ns"
is 1 "SELECT count(*) FROM allocation WHERE bytes = 1000064 AND freed_ns IS NULL AND device_id = 1"
is 4 "SELECT count(*) FROM allocation WHERE bytes IN (2000128, 3000192, 4000256, 4096 * 1223) AND freed_ns > allocated_ns"
is 2 "SELECT count(*) FROM allocation WHERE bytes IN (2000128, 4096 * 1223) AND device_id IS NULL"
is 6 "WITH RECURSIVE stack(allocation, site) AS (SELECT id, call_site_id FROM allocation
        UNION SELECT allocation, caller_id FROM stack JOIN call_site ON id = site)
      SELECT count(DISTINCT allocation) FROM stack JOIN call_site s ON s.id = site
      WHERE symbol LIKE '%allocate_everything%' AND module LIKE '%/memory'"
# 50,000 rows, and the rest counted.
is 1 "SELECT count(*) > 40000 FROM allocation WHERE bytes = 512"
is 100000 "SELECT (SELECT count(*) FROM allocation WHERE bytes = 512) +
           (SELECT coalesce(sum(count), 0) FROM diagnostic WHERE code IN ('allocations_dropped'))"
is 0 "SELECT count(*) FROM diagnostic WHERE code = 'events_dropped'"

structure="SELECT group_concat(byte || ' ' || range_bytes) FROM (SELECT * FROM group_pointer ORDER BY byte) p
  JOIN kernel_group g ON g.id = group_id JOIN kernel k ON k.id = kernel_id WHERE k.name LIKE '%sum_of_structure%'
  AND parameter ="
is '8 1000064,16 3000192' "$structure 0"
pointer="SELECT m.name || ' ' || range_bytes || ' ' || (address - range_address) FROM group_pointer p
  JOIN memory_kind m ON m.id = p.memory JOIN kernel_group g ON g.id = group_id JOIN kernel k ON k.id = kernel_id
  WHERE k.name LIKE '%strided_kinds%' AND parameter ="
is 'device 1000064 0' "$pointer 0"
is 'pinned 2000128 0' "$pointer 1"
is 'managed 3000192 0' "$pointer 2"
is 1 "SELECT count(*) FROM group_pointer p JOIN memory_kind m ON m.id = p.memory WHERE m.name = 'device' AND parameter = 3"
is 0 "SELECT count(*) FROM group_pointer WHERE parameter = 4"  # a number

# The first touch of the kernel brought the managed page over, the host's look brought it back.
moved="SELECT count(*) > 0 FROM unified_memory u JOIN unified_memory_event e ON e.id = u.event
  JOIN allocation a ON u.address BETWEEN a.address AND a.address + a.bytes - 1 AND a.bytes = 3000192 WHERE e.name ="
is 1 "$moved 'bytes_to_device'"
is 1 "$moved 'bytes_to_host'"
is 1 "$moved 'cpu_page_fault'"
