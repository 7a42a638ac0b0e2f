# Programs that speak to the driver: with code from files and no runtime library at all, and beside the runtime.
same "$PROGRAMS/driver_only" "$PROGRAMS/strided.fatbin" "$PROGRAMS/strided.ptx"
says 'file 1: right' 'file 2: right'
strided_is_exact
is 80 "SELECT count(*) FROM launch"
same "$PROGRAMS/mixed"
says right
strided_is_exact
is 60 "SELECT count(*) FROM launch"
