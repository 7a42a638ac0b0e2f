# After a flush of the trace such a graph crashed most recordings (docs/decisions/023), so the program is recorded twice.
has_module jax
export XLA_PYTHON_CLIENT_MEM_FRACTION=.20
python3 -c 'import jax; assert jax.devices()[0].platform == "gpu"' >/dev/null 2>&1 || skip "this JAX uses no GPU"
RECORDINGS=2 alike python3 "$here/programs/jax_updates.py"
says loss
is 1 "SELECT count(*) > 0 FROM launch WHERE graph_id IS NOT NULL"
