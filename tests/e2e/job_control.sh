# ^Z stops the job for the shell, fg goes on with it, and ^C ends it: as without coalescope.
program='trap "echo again" CONT; echo ready; while :; do sleep 0.05; done'
"$PROGRAMS/terminal" bash -c "$program" >alone || fail "without coalescope: $(cat alone)"
"$PROGRAMS/terminal" "$COALESCOPE" record -o x.coal -- bash -c "$program" >under || fail "under: $(cat under)"
cmp alone under

# A terminal that goes away ends the first process of its session, and with it the program.
program='echo "ready $$"; for i in {1..1000}; do sleep 0.02; done'
"$PROGRAMS/hangup" bash -c "$program" >alone || fail "without coalescope: $(cat alone)"
"$PROGRAMS/hangup" "$COALESCOPE" record -o x.coal -- bash -c "$program" >under || fail "under: $(cat under)"
diff alone under || fail "a hang-up"
