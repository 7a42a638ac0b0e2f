# A library that the caller preloads is still loaded into the program, once; one that is missing is reported as ever.
LD_PRELOAD=$PROGRAMS/libe2e_preload.so ls / >alone.out 2>/dev/null
LD_PRELOAD=$PROGRAMS/libe2e_preload.so "$COALESCOPE" record -o x.coal -- ls / >under.out 2>under.err
cmp alone.out under.out || fail "another output"
lines=$(grep -c 'another preloaded library' under.err)
[ "$lines" -eq 2 ] || fail "not once by coalescope and once by ls, but $lines times"
LD_PRELOAD=/no/such/library.so "$COALESCOPE" record -o x.coal -- ls / >under.out 2>under.err
cmp alone.out under.out || fail "another output with a missing library"
