# source_archive.sh SOURCE: what is handed out as source configures without git and without options, and says what is
# missing where something is.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "failed: $*" >&2; exit 1; }

cd "$1" || exit 1
git ls-files -zco --exclude-standard >"$work/files" 2>/dev/null || { echo "skipped: this is no git checkout" >&2; exit 77; }
mkdir "$work/source"
# What is deleted and not committed yet is no file.
tr '\0' '\n' <"$work/files" | while read -r file; do [ ! -e "$file" ] || echo "$file"; done | tar -cT - | tar -xC "$work/source" || fail "no copy"
cd "$work/source" || exit 1

# configure FOLDER OPTION...: its output in $work/said.
configure() { cmake -S . -B "$@" >"$work/said" 2>&1; }
few=(-DCOALESCOPE_CUPTI=OFF -DCOALESCOPE_KERNELS=OFF -DCOALESCOPE_CHARTS=OFF)
configure build || fail "cmake -S . -B build: $(tail -n 20 "$work/said")"
configure without_tests "${few[@]}" -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON || fail "it needs GoogleTest: $(tail -n 20 "$work/said")"
grep -q 'tests: off, no GoogleTest found' "$work/said" || fail "nobody says that there are no tests: $(cat "$work/said")"

configure lacking "${few[@]}" -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON &&
  fail "it goes on without its libraries"
said=$(tr -s ' \n' ' ' <"$work/said")
case $said in *'missing: fmt, CLI11.'*) ;; *) fail "not both are named: $said" ;; esac
case $said in *'scripts/install_packages build'*) ;; *) fail "no command: $said" ;; esac
[ -x scripts/install_packages ] || fail "the command is not there"
configure untested "${few[@]}" -DBUILD_TESTING=ON -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON && fail "tests were left out silently"
grep -q 'scripts/install_packages check' <(tr -s ' \n' ' ' <"$work/said") || fail "no command: $(cat "$work/said")"
