# A program without a kernel that ends soon after CUDA has begun: what the recorder does at the beginning must not be under
# way at the end. It crashed the program in most of its runs.
for _ in 1 2 3 4 5 6 7 8; do
  same "$PROGRAMS/copies"
  says right
done
is '20|1' "SELECT (SELECT count(*) FROM transfer t JOIN direction d ON d.id = t.direction WHERE d.name = 'host_to_device'),
  (SELECT count(*) FROM transfer t JOIN direction d ON d.id = t.direction WHERE d.name = 'device_to_host')"
is 1 "SELECT clean FROM capture"
