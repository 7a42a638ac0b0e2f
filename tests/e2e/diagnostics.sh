# No diagnostic names an option or a subcommand that does not exist.
page=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../docs" && pwd)/diagnostics.md
for subcommand in record report; do "$COALESCOPE" "$subcommand" --help; done >help || fail "no help"
options=$(grep -o -- '--[a-z][a-z-]*' "$page" | sort -u)
[ -n "$options" ] || fail "the page names no option"
for option in $options; do grep -q -- "$option\b" help || fail "there is no option $option"; done
subcommands=$(grep -o "'coalescope [a-z]*'" "$page" | tr -d "'" | cut -d ' ' -f 2 | sort -u)
[ -n "$subcommands" ] || fail "the page names no subcommand"
for subcommand in $subcommands; do "$COALESCOPE" "$subcommand" --help >/dev/null || fail "there is no 'coalescope $subcommand'"; done
