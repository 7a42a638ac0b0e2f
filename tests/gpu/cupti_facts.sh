# CUPTI still does what the recorder relies on, and what the stand-in claims: see ../standin/README.md.
bash "$here/../standin/facts.sh" "$PROGRAMS/cupti_facts" "$PROGRAMS/strided.fatbin" >facts.out 2>&1 || fail "$(head -c 2000 facts.out)"
