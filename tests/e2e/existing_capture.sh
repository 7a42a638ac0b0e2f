# A capture gives way only to a complete new one.
"$COALESCOPE" record -o x.coal -- true 2>/dev/null
before=$(cksum <x.coal)
refused 127 'cannot find the program' record -o x.coal -- /no/such/program
refused 126 'is not executable' record -o x.coal -- /etc/passwd
[ "$(cksum <x.coal)" = "$before" ] || fail "a refused run changed the capture"
"$COALESCOPE" record -o x.coal -- sh -c "kill -KILL \$PPID; sleep 0.2" 2>/dev/null
[ "$(cksum <x.coal)" = "$before" ] || fail "a killed coalescope changed the capture"
"$COALESCOPE" record -o x.coal -- sh -c 'exit 1' 2>/dev/null
[ "$(cksum <x.coal)" != "$before" ] || fail "a new run did not replace the capture"
echo 'my thesis' >thesis.txt
refused 2 'is not a capture' record -o thesis.txt -- true
refused 2 '--force' record -o thesis.txt -- true
refused 2 'it is a capture' report x.coal --html x.coal
[ "$(cat thesis.txt)" = 'my thesis' ] || fail "another file was replaced"
"$COALESCOPE" record -o new.coal -- sh -c 'echo of the program >new.coal' 2>err
[ "$(cat new.coal)" = 'of the program' ] && [ -s new-2.coal ] || fail "what the program wrote is lost: $(cat err)"
"$COALESCOPE" record -o thesis.txt --force -- true 2>err || fail "--force: $(cat err)"
"$COALESCOPE" report thesis.txt >/dev/null || fail "--force left no capture"
