# ^Z stops the job for the shell, fg goes on with it, and ^C ends it: as without coalescope.
program='trap "echo again" CONT; echo ready; while :; do sleep 0.05; done'
"$PROGRAMS/terminal" bash -c "$program" >alone || fail "without coalescope: $(cat alone)"
"$PROGRAMS/terminal" "$COALESCOPE" record -o x.coal -- bash -c "$program" >under || fail "under: $(cat under)"
cmp alone under
