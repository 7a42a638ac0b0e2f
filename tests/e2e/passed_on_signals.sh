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

# coalescope itself may be killed: the program goes on, and what was recorded stays beside the capture's name.
rm -f ready
"$COALESCOPE" record -o killed.coal -- bash -c ': >ready; while [ ! -e go ]; do sleep 0.02; done; : >done' 2>err &
pid=$!
while [ ! -e ready ]; do sleep 0.02; done
kill -KILL $pid
wait $pid 2>/dev/null
: >go
for i in {1..500}; do [ -e done ] && break; sleep 0.02; done
[ -e done ] || fail "the program did not go on"
[ -d .killed.coal.parts-* ] || fail "nothing was kept: $(ls -A)"
