# facts.sh PROGRAM CODE_FILE: asks for every fact in a process of its own. Status 1: one does not hold.
facts=$("$1")
status=0
[ -n "$facts" ] || { echo "failed: '$1' knows no facts" >&2; exit 1; }
for fact in $facts; do
  answer=$("$1" "$fact" "$2" 2>&1) && [ "$answer" = "so it is" ] && continue
  echo "failed: $fact: $answer" >&2
  status=1
done
exit $status
