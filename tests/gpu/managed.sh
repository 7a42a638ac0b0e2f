# Managed memory that moves between host and device under the kernels.
same "$PROGRAMS/managed"
says "sum 176000"
strided_is_exact
is 40 "SELECT count(*) FROM launch"
