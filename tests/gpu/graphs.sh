# A stream capture and graph launches come through unharmed, and each kernel of a graph is in the trace.
same "$PROGRAMS/graphs"
says 'right'
strided_is_exact
# Launches of the graph that were replaced to measure its kernels are launches of these.
is 1 "SELECT count(*) BETWEEN 3 AND 30 FROM launch WHERE graph_id IS NOT NULL"
is 42 "SELECT count(*) FROM launch"
