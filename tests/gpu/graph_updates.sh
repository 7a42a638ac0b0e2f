# Graphs that are built by hand and by stream capture, launched often, and changed in between: every node's kernel is there.
same "$PROGRAMS/graph_updates"
says 'by hand: 2' 'changed: 3' right
strided_is_exact
is 400 "SELECT count(*) FROM launch"
# Launches of a graph that were replaced to measure its kernels are launches of these.
is 1 "SELECT count(*) BETWEEN 200 AND 380 FROM launch WHERE graph_id IS NOT NULL"
# In each grid, as it was when it was measured: four bytes a thread.
is "$(printf '5|2560\n7|3584\n9|4608\n25|12800')" "SELECT DISTINCT grid_x, value FROM $(readings_of scaled)
  AND m.key = 'global_load_bytes' ORDER BY grid_x"
is "$(printf '5|50\n7|30\n9|30\n25|50')" "SELECT grid_x, count(*) FROM launch l JOIN kernel_group g ON g.id = l.group_id
  JOIN kernel k ON k.id = g.kernel_id WHERE k.name LIKE '%scaled%' GROUP BY grid_x ORDER BY grid_x"
is 100 "SELECT count(*) FROM transfer t JOIN direction d ON d.id = t.direction WHERE d.name = 'set'"
