# JAX: compiled for the GPU while the program runs.
has_module jax
export XLA_PYTHON_CLIENT_MEM_FRACTION=.20
python3 -c 'import jax; assert jax.devices()[0].platform == "gpu"' >/dev/null 2>&1 || skip "this JAX uses no GPU"
alike python3 "$here/programs/jax_steps.py"
says True
is 1 "SELECT count(*) > 0 FROM launch"
is 1 "SELECT count(*) > 0 FROM reading r JOIN metric m ON m.id = r.metric_id WHERE m.key = 'global_load_sectors'"
