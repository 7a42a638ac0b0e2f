# 64 streams and the default one: every launch is there, on its own stream, and every reading exact.
same "$PROGRAMS/streams"
says '65 of 65 right'
strided_is_exact
is 1300 "SELECT count(*) FROM launch"
is '65|20|20' "SELECT count(*), min(n), max(n) FROM (SELECT count(*) AS n FROM launch GROUP BY stream)"
