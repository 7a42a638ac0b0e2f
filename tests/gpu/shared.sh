# A runtime library that is shared, as frameworks have it.
for folder in /usr/local/cuda/lib64 /usr/local/cuda/targets/*/lib; do
  [ ! -e "$folder/libcudart.so.13" ] || export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
done
ldd "$PROGRAMS/graphs_shared" | grep -q 'libcudart.*not found' && skip "no libcudart.so.13 here"
same "$PROGRAMS/graphs_shared"
says right
strided_is_exact
is 42 "SELECT count(*) FROM launch"
same "$PROGRAMS/pools_shared"
says '100 of 100 right'
strided_is_exact
is 100 "SELECT count(*) FROM launch"
