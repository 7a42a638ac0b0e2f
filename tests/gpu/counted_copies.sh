# In a long run copies have records now and then, and are counted otherwise, beside launches of another thread: each is listed,
# added up or counted once. From the first memory set on they have records, because without these sets have none.
same "$PROGRAMS/counted_copies"
says right
for options in '--trace 20000' '--only trace --trace 20000' '--trace all'; do
  # shellcheck disable=SC2086
  "$COALESCOPE" record --force $options -o copies.coal -- "$PROGRAMS/counted_copies" >out 2>err || fail "status $? with '$options': $(tail -n 3 err)"
  [ "$(cat out)" = right ] || fail "printed '$(cat out)' with '$options'"
  CAPTURE=copies.coal is 'device_to_device|600000|2457600000
device_to_host|300002|614400008
host_to_device|600001|2457604096
set|50000|' "SELECT d.name, sum(n), CASE WHEN d.name = 'set' THEN '' ELSE sum(bytes) END FROM
    (SELECT direction, 1 AS n, bytes FROM transfer UNION ALL SELECT direction, transfers, bytes FROM transfer_total) t
    JOIN direction d ON d.id = t.direction GROUP BY d.name ORDER BY d.name"
  counted=$(CAPTURE=copies.coal sql "SELECT coalesce(sum(transfers), 0) FROM transfer_total t JOIN direction d ON d.id = t.direction
    WHERE timed = 0 AND d.name != 'set'")
  case $options in
    *all) [ "$counted" -eq 0 ] || fail "$counted copies have no record with '$options'" ;;
    *) [ "$counted" -gt 100000 ] || fail "only $counted copies were counted with '$options'" ;;
  esac
done
