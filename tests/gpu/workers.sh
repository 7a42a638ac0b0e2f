# Processes that are forked before CUDA starts and after it, that are started anew, and that replace themselves.
same "$PROGRAMS/workers" before
says 'children 2, statuses 6'
strided_is_exact
is 3 "SELECT count(*) FROM process"
is '40|40' "SELECT min(n), max(n) FROM (SELECT count(*) AS n FROM launch l JOIN kernel_group g ON g.id = l.group_id
            GROUP BY process_id)"
same "$PROGRAMS/workers" after
says 'children 2, statuses 6'
is '1|1' "SELECT count(*), min(clean) FROM process"
is 40 "SELECT count(*) FROM launch"
same "$PROGRAMS/workers" spawn
says 'children 2, statuses 0'
is '3|1' "SELECT count(*), min(clean) FROM process"
is 120 "SELECT count(*) FROM launch"
# A library is not told that its program replaces itself: the capture says that its end was not seen.
alike "$PROGRAMS/workers" exec
says 'once: children 0'
is '2|1' "SELECT count(*), count(DISTINCT pid) FROM process"
# What it had not written by then is lost with it: at most the last fraction of a second.
is 1 "SELECT count(*) BETWEEN 40 AND 80 FROM launch"
is 1 "SELECT count(*) FROM diagnostic WHERE code = 'no_orderly_end'"
