# What goes in and comes out is not touched: text, binary data, and pipes that close early.
head -c 3000000 /dev/urandom >input
same cat
same sh -c 'cat | tail -c 1000 | od'
same sh -c 'od /dev/stdin | head -n 3'
yes | "$COALESCOPE" record -o x.coal -- head -n 2 >out 2>/dev/null || fail "head: $?"
[ "$(cat out)" = "$(printf 'y\ny')" ] || fail "head: $(cat out)"
"$PROGRAMS/ending" end "$COALESCOPE" record -o x.coal -- yes 2>/dev/null | head -n 1 >out
[ "$(cat end)" = "signal 13" ] || fail "a closed pipe: $(cat end)"
