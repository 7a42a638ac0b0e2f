-- Which launches ran natively, and how long: one row a launch, in the file's order. Each under its own group, so that
-- those of a later run of the program are not taken for the first run's. What follows the time tells where it stands.
SELECT
  group_id,  -- its kernel and shape
  gpu_ns,    -- of the GPU; NULL: not timed
  window_id, -- NULL: it ran natively
  start_ns,  -- of the GPU; NULL: not timed
  stream     -- CUPTI's number
FROM main.launch
