# coalescope PROGRAM: a dated capture, the report on stderr, and nothing of ours on stdout.
mkdir place && cd place || exit 1
"$COALESCOPE" sh -c 'echo mine; exit 6' >../out 2>../err
[ $? -eq 6 ] || fail "status $?"
[ "$(cat ../out)" = mine ] || fail "stdout: $(cat ../out)"
grep -q 'made no CUDA calls' ../err || fail "no report: $(cat ../err)"
ls | grep -qE '^sh-[0-9]{8}-[0-9]{6}\.coal$' || fail "no dated capture: $(ls)"
printf '#!/bin/sh\necho "my own report of $*"\n' >report
chmod +x report
PATH=.:$PATH "$COALESCOPE" -- report x --help >../out 2>../err || fail "$(cat ../err)"
[ "$(cat ../out)" = 'my own report of x --help' ] || fail "a program called report: $(cat ../out)"
"$COALESCOPE" sh -c 'kill -TERM $$' 2>/dev/null
[ $? -eq 143 ] || fail "a signal"
