# While kernels have no records, those of graphs are counted where the graphs are launched: no launch is lost, and none is
# counted twice.
"$COALESCOPE" record --trace 2000 -o same.coal -- "$PROGRAMS/graph_pauses" >under.out 2>under.err ||
  fail "it did not end with 0: $(cat under.err)"
[ "$(cat under.out)" = right ] || fail "it prints '$(cat under.out)'"
counted() {
  echo "SELECT (SELECT count(*) FROM launch l JOIN kernel_group g ON g.id = l.group_id JOIN kernel k ON k.id = g.kernel_id
    WHERE k.name LIKE '%$1%') + (SELECT coalesce(sum(launches), 0) FROM launch_total t JOIN kernel_group g ON g.id = t.group_id
    JOIN kernel k ON k.id = g.kernel_id WHERE k.name LIKE '%$1%')"
}
is $((8000 + 8000 * 20 + 3000 * 5)) "$(counted strided)"
is $((5000 * 5)) "$(counted doubled)"
# Most had no record, and each kernel has a time.
is 1 "SELECT sum(timed_launches) < 0.5 * sum(launches) FROM launch_total"
is 0 "SELECT count(*) FROM launch_total t WHERE timed_launches = 0 AND NOT EXISTS
  (SELECT 1 FROM launch l WHERE l.group_id = t.group_id AND gpu_ns > 0)"
# None has a time that CUPTI took after it had switched records off.
is 0 "SELECT count(*) FROM launch_total t WHERE gpu_ns > 10 * timed_launches * (SELECT avg(gpu_ns) FROM launch l WHERE l.group_id = t.group_id)"
# The sites of graphs and of their nodes have been counted, too, and none twice. The stacks of some calls are not looked at.
is 2 "SELECT count(*) FROM (SELECT sum(launches) AS launches FROM launch_site s JOIN site_role r ON r.id = s.role
  WHERE r.name IN ('graph_node', 'graph_launch') GROUP BY r.id) WHERE launches BETWEEN 100000 AND $((8000 * 25))"
