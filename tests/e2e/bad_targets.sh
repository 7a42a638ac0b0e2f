# What cannot be started, with a shell's exit statuses, and a hint where a subcommand was mistyped.
refused 127 "cannot find the program 'no_such_program'" record no_such_program
refused 127 "cannot find the program './absent'" record ./absent
refused 127 "did you mean 'coalescope report'" reprot x.coal
refused 127 'the name of the program is empty' record -- ''
echo text >notes
printf '#!/no/such/interpreter\n' >script
chmod +x script
mkdir folder
refused 126 "'./notes': it is not executable" record ./notes
refused 126 "'./folder': it is a folder" record ./folder
[ ! -e script.coal ] || fail "a capture of nothing"
