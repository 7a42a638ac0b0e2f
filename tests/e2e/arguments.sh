# Arguments arrive byte by byte, whatever they look like.
same printf '[%s]\n' '' ' ' -- --help -o x.coal '[a,b]' $'two\nlines' $'\xff\xfe' '*' '$HOME' ++
mapfile -t many < <(seq 20000)
same sh -c 'echo $#; echo "$*" | cksum' sh "${many[@]}"
long=$(head -c 100000 /dev/zero | tr '\0' x)
same sh -c 'echo "$1" | cksum' sh "$long"
