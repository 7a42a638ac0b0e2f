# Launches of eight threads at once: every reading exact, every launch there.
for _ in 1 2 3; do
  same "$PROGRAMS/gpu_threads"
  says '8 of 8'
  strided_is_exact
  is 1600 "SELECT count(*) FROM launch"
done
