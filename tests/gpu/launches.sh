# Launches in clusters and launches that depend on the one before are measured; cooperative ones are not, and say why.
same "$PROGRAMS/launches" dependent
says right
strided_is_exact
is 40 "SELECT count(*) FROM launch"
same "$PROGRAMS/launches" cooperative
says right
is 40 "SELECT count(*) FROM launch"
never_measured together
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1)
[ "${capability%%.*}" -ge 9 ] || skip "clusters need compute capability 9.0, this GPU has $capability; the rest passed"
same "$PROGRAMS/launches" clusters
says right
strided_is_exact
is 40 "SELECT count(*) FROM launch"
