# Each signal, sent to coalescope alone, does to the program what it does without coalescope: ends it, stops it, is
# caught or ignored. coalescope lives as long as the program, leaves nothing behind, and the capture is written.
ulimit -c 0
"$PROGRAMS/every_signal" >alone || fail "the signals cannot be sent"
"$PROGRAMS/every_signal" "$COALESCOPE" record -o %s.coal -- >under 2>err || fail "under coalescope: $(cat err)"
[ "$(wc -l <alone)" -eq 186 ] || fail "not all signals: $(cat alone)"
diff alone under || fail "the program ended in another way"
captures=(*.coal)
[ ${#captures[@]} -eq 186 ] || fail "not all captures: $(grep -v 'note: wrote' err)"
grep -v 'note: wrote' err && fail "something else was said"
[ -z "$(find . -name '.*parts*')" ] || fail "folders were left: $(ls -A)"
