# Kernels that run in graphs only are measured, each by itself, and the graphs compute what they compute without.
same "$PROGRAMS/graph_nodes"
says 'called 100 times'
# 10,240 threads, four bytes each.
is '40960' "SELECT DISTINCT value FROM $(readings_of fill) AND m.key = 'global_store_bytes'"
is '1280' "SELECT DISTINCT value FROM $(readings_of fill) AND m.key = 'global_store_sectors'"
is '81920' "SELECT DISTINCT value FROM $(readings_of add_in_clusters) AND m.key = 'global_load_bytes'"
is 1 "SELECT count(*) = 400 FROM launch l JOIN kernel_group g ON g.id = l.group_id JOIN kernel k ON k.id = g.kernel_id
  WHERE k.name LIKE '%add%'"
# These must stay whole, and the capture says so.
is 0 "SELECT count(*) FROM $(readings_of count_up)"
is 2 "SELECT sum(count) FROM diagnostic WHERE code = 'left_whole'"
is 1 "SELECT count(*) FROM diagnostic WHERE code = 'taken_apart'"
