# coalescope under coalescope, as when a script that is recorded records something itself.
same sh -c "'$COALESCOPE' record -o inner.coal -- sh -c 'echo inner; exit 8' 2>/dev/null"
[ -s inner.coal ] || fail "no inner capture"
