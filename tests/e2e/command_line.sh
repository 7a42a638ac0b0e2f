# Usage: help and version succeed, everything that makes no sense is status 2 with one line.
"$COALESCOPE" --version >version || fail "--version"
head -n 1 version | grep -qE '^coalescope [0-9]+\.[0-9]+\.[0-9]+$' || fail "--version: $(cat version)"
grep -qE '^captures: schema [0-9]+, and older from 1 on$' version || fail "--version: $(cat version)"
grep -qE '^libcoalescope_inject.so: (/|not installed$)' version || fail "--version: $(cat version)"
"$COALESCOPE" --help | grep -q report || fail "--help"
"$COALESCOPE" record --help | grep -q -- --output || fail "record --help"
refused 2 'no program given'
refused 2 'no program given' record
refused 2 'no program given' record -o x.coal
refused 2 'no program given' record -o x.coal --
refused 2 'no program given' --
refused 2 '--wrong' record --wrong true
refused 2 'FILE is required' report
refused 2 'error' report a.coal b.coal
refused 2 'error' report x.coal --json --html page.html
refused 2 'error' report x.coal --json --section kernels
refused 2 'not in {processes,findings' report x.coal --section nonsense
refused 2 'not in {auto,always,never}' report x.coal --color sometimes
refused 2 'error' --wrong
