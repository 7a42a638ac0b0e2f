# Descriptors that the caller closed stay closed for the program, and no capture opens in their place.
for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- >&- 2>&-'; do
  eval "'$PROGRAMS/closed_descriptors' $closed"
  alone=$?
  eval "'$COALESCOPE' record -o x.coal -- '$PROGRAMS/closed_descriptors' $closed" 2>err
  [ $? -eq $alone ] || fail "with $closed: status is not $alone"
  "$COALESCOPE" report x.coal >/dev/null || fail "with $closed: the capture cannot be read"
done
