# Memory from pools, in the order of a stream.
same "$PROGRAMS/pools"
says '100 of 100 right'
strided_is_exact
is 100 "SELECT count(*) FROM launch"
is 100 "SELECT count(*) FROM transfer t JOIN direction d ON d.id = t.direction
        WHERE d.name = 'device_to_host' AND bytes = 4"
