# Under each limit the program ends and prints as without coalescope, and sees the limits that the caller set.
# coalescope itself may lack the room to record, and says so; it never fails instead of the program.
ulimit -c 0
as=  # a command that changes the user

# apart COMMAND: its output in the files out and err. It writes to pipes: a limit on files is for those of a
# redirection, too.
apart() {
  { "$@" 2>&3 3>&- | cat >out; } 3>&1 | cat >err
}

# limited LIMIT COMMAND: a shell sets the limit and becomes the command. What coalescope says is left in `said`: one
# line, which tells where the capture is, or why there is none.
limited() {
  local limit=$1
  shift
  apart "$PROGRAMS/ending" alone.end $as bash -c "ulimit $limit && exec \"\$@\"" limited "$@"
  mv out alone.out && mv err alone.err
  apart "$PROGRAMS/ending" under.end $as bash -c "ulimit $limit && exec \"\$@\"" limited \
    "$COALESCOPE" record -o limit.coal -- "$@"
  mv out under.out && grep -a '^coalescope: ' err >said
  grep -av '^coalescope: ' err >under.err
  for what in end out err; do
    cmp "alone.$what" "under.$what" || fail "ulimit $limit: '$*' has another .$what: $(cat "under.$what" said)"
  done
  [ "$(wc -l <said)" -eq 1 ] || fail "ulimit $limit: not one line of coalescope's: $(cat said)"
  if grep -q 'wrote limit.coal' said; then
    [ -s limit.coal ] || fail "ulimit $limit: no capture"
  elif ! grep -q 'runs without being recorded' said; then
    [ -d .limit.coal.parts-* ] || fail "ulimit $limit: nothing was kept: $(cat said)"
  fi
  rm -rf limit.coal .limit.coal.parts-*
}
show='ulimit -Sa; ulimit -Ha; grep -E "^(Sig(Blk|Ign|Cgt)|NoNewPrivs)" /proc/self/status'
write='{ head -c 2000000 /dev/zero >big; echo status $?; rm -f big; } 2>/dev/null'

for soft in -S ''; do
  for files in 0 64; do limited "$soft -f $files" bash -c "$show; $write"; done
  for descriptors in 4 6 10; do limited "$soft -n $descriptors" bash -c "$show"; done
  for stack in 100 1000; do limited "$soft -s $stack" bash -c "$show"; done
  limited "$soft -t 1" bash -c 'while :; do :; done'
  grep -q 'wrote limit.coal' said || fail "after its time: $(cat said)"
done
for memory in 16000 20000 40000; do limited "-v $memory" bash -c "$show"; done

# An environment that is nearly too long: with coalescope's variables in it, it is.
nearly_full() { env -i BIG="$(printf "%$1s")" bash -c 'ulimit -s 512 && exec "$@"' full "${@:2}"; }
size=131000
until nearly_full $size /bin/true 2>/dev/null; do size=$((size - 50)); done
nearly_full $((size - 200)) "$COALESCOPE" record -o full.coal -- /bin/sh -c 'exit 4' 2>said
[ $? -eq 4 ] || fail "a full environment: $(cat said)"
grep -q 'runs without being recorded' said || fail "a full environment: $(cat said)"
[ -z "$(ls -A | grep full.coal)" ] || fail "files were left: $(ls -A)"

# No process more for this user, and so none for coalescope either: the program takes its place.
[ "$(id -u)" -eq 0 ] || exit 0
as='setpriv --reuid=61234 --regid=61234 --clear-groups'
chmod 777 .
$as "$COALESCOPE" --version >/dev/null || skip "another user cannot run coalescope where it lies"
limited '-u 1' bash -c "$show"
grep -q 'runs without being recorded' said || fail "there was room for a process: $(cat said)"
