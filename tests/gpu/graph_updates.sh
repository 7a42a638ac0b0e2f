# Graphs that are built by hand and captured, launched often, and changed in between: every node's kernel is there.
same "$PROGRAMS/graph_updates"
says 'by hand: 2' 'changed: 3' right
strided_is_exact
is 20 "SELECT count(*) FROM launch WHERE graph_id IS NULL"
is 380 "SELECT count(*) FROM launch WHERE graph_id IS NOT NULL"
is "$(printf '5|50\n7|30\n9|30\n25|50')" "SELECT grid_x, count(*) FROM launch l JOIN kernel_group g ON g.id = l.group_id
  JOIN kernel k ON k.id = g.kernel_id WHERE k.name LIKE '%scaled%' GROUP BY grid_x ORDER BY grid_x"
is 100 "SELECT count(*) FROM transfer t JOIN direction d ON d.id = t.direction WHERE d.name = 'set' AND graph_id IS NOT NULL"
