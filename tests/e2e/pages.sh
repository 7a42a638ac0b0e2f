# Man page and completions come from the command line itself: each option of each subcommand is in all of them, and bash
# completes by what was made.
for form in man bash zsh fish; do
  "$COALESCOPE" pages $form >$form 2>err || fail "$form: $(cat err)"
  for word in graph-profiling min-share-of-kernel doctor; do
    sed 's/\\-/-/g' $form | grep -q -- "$word" || fail "'$word' is not in $form"
  done
done
refused 2 'not in {man,bash,zsh,fish}' pages tcsh
! command -v man >/dev/null || man --warnings -l man >shown 2>warnings || fail "$(cat warnings)"
[ ! -s warnings ] || fail "the manual page has faults: $(cat warnings)"

bash -n bash || fail "bash does not read its completion"
completes() {
  bash -c '. ./bash; COMP_WORDS=("${@:2}"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _coalescope; echo "${COMPREPLY[*]}"' \
    bash _ "$@" 2>&1
}
[ "$(completes coalescope rec)" = 'record recover' ] || fail "rec: $(completes coalescope rec)"
[ "$(completes coalescope report --col)" = '--color' ] || fail "--col: $(completes coalescope report --col)"
[ "$(completes coalescope report --color a)" = 'auto always' ] || fail "a: $(completes coalescope report --color a)"
! command -v zsh >/dev/null || zsh -n zsh || fail "zsh does not read its completion"
! command -v fish >/dev/null || fish -n fish || fail "fish does not read its completion"
