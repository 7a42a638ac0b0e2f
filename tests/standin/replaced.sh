# replaced.sh COALESCOPE PROGRAM LIBRARY REPLACEMENT: a library that is replaced while the program runs names no call.
coalescope=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
: >"$folder/script"
export STANDIN_SCRIPT=$folder/script

# In the order of the frames, the innermost first: the library's functions as the capture names them.
functions() { # CAPTURE
  sqlite3 "$1" "SELECT ifnull(symbol, 'unknown'), kind FROM call_site WHERE module LIKE '%/libwork.so' ORDER BY caller_id IS NULL, caller_id DESC"
}
record() { # CAPTURE [REPLACEMENT]
  cp "$library" "$folder/libwork.so"
  "$coalescope" record -o "$@" || exit
}
expect() { # WHAT WANTED FOUND
  [ "$2" = "$3" ] && return
  printf 'failed: %s: wanted\n%s\nfound\n%s\n' "$1" "$2" "$3" >&2
  status=1
}

status=0
library=$3
record "$folder/same.coal" --only trace -- "$program" "$folder/libwork.so"
cp "$4" "$folder/replacement.so"
record "$folder/replaced.coal" --only trace -- "$program" "$folder/libwork.so" "$folder/replacement.so"
named=$(functions "$folder/same.coal" | grep -c of_the_original)
expect 'calls named in the library that ran' 1 "$named"
expect 'names in another file' '' "$(functions "$folder/replaced.coal" | grep of_the_)"
expect 'what the loader knew' 1 "$(functions "$folder/replaced.coal" | grep -c '^allocate')"
expect 'calls with an offset alone' 1 "$(functions "$folder/replaced.coal" | grep -c '^unknown')"
ids() { sqlite3 "$folder/$1.coal" "SELECT DISTINCT build_id FROM call_site WHERE module LIKE '%/libwork.so'"; }
expect 'the build id of what ran' "$(ids same)" "$(ids replaced)"
said() { sqlite3 "$folder/$1.coal" "SELECT count(*) FROM diagnostic WHERE code = 'file_replaced' AND text LIKE '%/libwork.so%'"; }
expect 'what is said of the library that ran' 0 "$(said same)"
expect 'what is said of the one that was replaced' 1 "$(said replaced)"
exit $status
