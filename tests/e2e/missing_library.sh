# A coalescope without its library refuses to record, says what to do, and starts nothing.
cp "$COALESCOPE" coalescope
COALESCOPE=./coalescope
refused 2 'cannot record' record -o x.coal -- touch started
refused 2 'CUDA Toolkit' touch started
[ "$(ls -A)" = "$(printf 'coalescope\nrefused.err\nrefused.out')" ] || fail "files were left: $(ls -A)"
