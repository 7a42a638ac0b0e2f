# run_shards.sh TEST ARGUMENTS: runs a GoogleTest program as four processes side by side: these tests mostly wait for the
# programs that they start. Status 1: a test failed. $STANDIN_FILTER chooses some of them.
[ -z "${STANDIN_FILTER:-}" ] || export GTEST_FILTER=$STANDIN_FILTER
export GTEST_TOTAL_SHARDS=4
running=()
for ((shard = 0; shard < GTEST_TOTAL_SHARDS; ++shard)); do
  GTEST_SHARD_INDEX=$shard "$@" --gtest_brief=1 &
  running+=($!)
done
status=0
for shard in "${running[@]}"; do
  wait "$shard" || status=1
done
exit $status
