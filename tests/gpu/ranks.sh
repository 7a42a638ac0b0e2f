# Two ranks of a job, under mpirun where there is one: in one capture, each with its rank; and each with a capture of
# its own, which merge unites.
job=(sh -c 'for rank in 0 1; do
  OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_LOCAL_RANK=$rank "$@" &
done; wait' sh)
if mpirun --version >/dev/null 2>&1; then
  job=(mpirun -n 2)
  [ "$(id -u)" -ne 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
same "${job[@]}" "$PROGRAMS/workers" once
strided_is_exact
# The launcher may use CUDA, too.
is 2 "SELECT count(*) FROM process WHERE clean AND rank IS NOT NULL"
is '0|1' "SELECT group_concat(rank, '|') FROM (SELECT rank FROM process WHERE rank IS NOT NULL ORDER BY rank)"
is '0|1' "SELECT group_concat(local_rank, '|') FROM (SELECT local_rank FROM process WHERE rank IS NOT NULL ORDER BY rank)"
is '40|40' "SELECT min(n), max(n) FROM (SELECT count(*) AS n FROM launch l JOIN kernel_group g ON g.id = l.group_id
            GROUP BY process_id)"
"$COALESCOPE" report same.coal >report || fail "no report"
# A kernel has one row over all ranks, and a finding names a rank only where others do not have it.
grep -q '(ranks 0 to 1)' report || fail "the report does not say which ranks there were: $(cat report)"
"$COALESCOPE" report --section processes same.coal >processes || fail "no table of processes"
for rank in 0 1; do
  grep -Eq " $rank +$rank +.*workers" processes || fail "the table of processes has no rank $rank: $(cat processes)"
done

for rank in 0 1; do
  RANK=$rank LOCAL_RANK=$rank "$COALESCOPE" record -o 'own-%q{RANK}.coal' -- "$PROGRAMS/workers" once >/dev/null 2>&1 ||
    fail "rank $rank: status $?"
done
"$COALESCOPE" merge -o merged.coal own-0.coal own-1.coal 2>merge.err || fail "$(cat merge.err)"
CAPTURE=merged.coal strided_is_exact
CAPTURE=merged.coal is '80|2' "SELECT (SELECT count(*) FROM launch), count(DISTINCT rank) FROM process"
