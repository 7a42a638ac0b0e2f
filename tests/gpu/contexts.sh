# Contexts of one device that take turns, end, and begin.
same "$PROGRAMS/contexts" "$PROGRAMS/strided.fatbin"
says 'context 0: right' 'context 1: right' 'context 2: right'
strided_is_exact
is 120 "SELECT count(*) FROM launch"
