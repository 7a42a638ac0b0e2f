# Arguments arrive byte by byte, whatever they look like.
same printf '[%s]\n' '' ' ' -- --help -o x.coal '[a,b]' $'two\nlines' $'\xff\xfe' '*' '$HOME' ++
mapfile -t many < <(seq 20000)
same sh -c 'echo $#; echo "$*" | cksum' sh "${many[@]}"
long=$(head -c 100000 /dev/zero | tr '\0' x)
same sh -c 'echo "$1" | cksum' sh "$long"
# A capture of a command line that is longer than any text of a capture may be can be read.
mapfile -t many < <(for ((i = 0; i < 20; ++i)); do echo "$long"; done)
"$COALESCOPE" record -o long.coal true "${many[@]}" 2>err || fail "status $?: $(cat err)"
"$COALESCOPE" report long.coal >report || fail "the capture cannot be read"
