# A signal that is sent to coalescope alone reaches the program.
set -m # or the shell has the job ignore INT and QUIT
for signal in TERM INT HUP USR1 USR2 QUIT; do
  rm -f ready
  "$COALESCOPE" record -o x.coal -- bash -c \
    "trap 'echo got $signal; exit 9' $signal; : >ready; for i in {1..500}; do sleep 0.02; done" >out 2>err &
  pid=$!
  while [ ! -e ready ]; do sleep 0.02; done
  kill -$signal $pid
  wait $pid
  [ $? -eq 9 ] || fail "$signal: status $?"
  [ "$(cat out)" = "got $signal" ] || fail "$signal: $(cat out err)"
done
