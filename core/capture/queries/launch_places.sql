-- Where the launches of the first run stand in time, in the file's order: one row a launch that has a time.
SELECT
  group_id,  -- its kernel and shape; of a later run: not among the groups
  stream,    -- CUPTI's number
  start_ns,  -- of the GPU
  gpu_ns     -- of the GPU
FROM main.launch
WHERE start_ns IS NOT NULL AND gpu_ns IS NOT NULL
