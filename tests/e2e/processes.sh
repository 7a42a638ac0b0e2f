# Threads, forks and children of children.
same "$PROGRAMS/threads"
same "$PROGRAMS/fork_storm"
same bash -c 'for i in $(seq 100); do (exit $i) || :; done; wait; echo done'
