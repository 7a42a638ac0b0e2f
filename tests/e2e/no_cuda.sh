# A program without CUDA gives a capture that says so.
"$COALESCOPE" record -o x.coal -- sh -c 'exit 5' 2>err
[ $? -eq 5 ] || fail "status $?"
grep -q 'wrote x.coal (no CUDA calls were recorded)' err || fail "$(cat err)"
"$COALESCOPE" report x.coal >report || fail "the report failed"
grep -q 'made no CUDA calls' report || fail "the report does not say so: $(cat report)"
"$COALESCOPE" report x.coal --json | grep -q '"no_cuda"' || fail "the data do not say so"
[ "$(ls -A)" = "$(printf 'err\nreport\nx.coal')" ] || fail "files were left: $(ls -A)"
