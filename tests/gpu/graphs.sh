# A stream capture and graph launches come through unharmed, and each kernel of a graph is in the trace.
same "$PROGRAMS/graphs"
says 'right'
strided_is_exact
is 30 "SELECT count(*) FROM launch WHERE graph_id IS NOT NULL"
is 42 "SELECT count(*) FROM launch"
