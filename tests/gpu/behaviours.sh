# Kernels that do several things under one name and shape have a row for each, with the launches that did it.
same "$PROGRAMS/behaviours"
says '120 rounds'
# Launches of each behaviour, the first one's first.
behaves() {
  is "$2" "SELECT group_concat(n, ' ') FROM (SELECT count(*) AS n FROM launch l JOIN kernel_group g ON g.id = l.group_id
    JOIN kernel k ON k.id = g.kernel_id WHERE k.name LIKE '%$1EP%' GROUP BY g.id ORDER BY g.variant)"
}
behaves always_the_same 120
behaves always_the_same_of_two 120
behaves by_stride '40 40 40'
behaves by_two_orders '40 40 40'
for each in by_order by_memory by_index by_offset by_option by_size by_stride_and_more by_one_of_many; do
  behaves $each '30 90'
done
behaves in_graph '240 120'
behaves by_data 120
# None is blended: what a behaviour asks of L1 is the same in each of its launches.
is 0 "SELECT count(*) FROM (SELECT max(value) > 1.1 * min(value) AS blended FROM reading r
  JOIN launch l ON l.id = r.launch_id JOIN metric m ON m.id = r.metric_id
  JOIN kernel_group g ON g.id = l.group_id JOIN kernel k ON k.id = g.kernel_id
  WHERE m.key = 'l1_load_sectors' AND k.name NOT LIKE '%by_dataE%' GROUP BY l.group_id) WHERE blended"
is 1 "SELECT count(DISTINCT value) = 2 AND count(*) > 8 FROM $(readings_of by_dataE) AND m.key = 'l1_load_sectors'"
# Each is measured in every way.
is 0 "SELECT count(*) FROM coverage c JOIN phase p ON p.id = c.phase
  WHERE p.name IN ('bytes', 'lines', 'traffic', 'hits') AND launches_measured = 0"
