-- Every transfer, in the file's order; the reader adds them up by class. Grouping them in SQL takes ten times as
-- long where sizes differ.
SELECT
  device_id,          -- the device that did it
  direction,          -- from where to where
  source_memory,      -- kind of memory read
  destination_memory, -- kind of memory written
  asynchronous,       -- 1: asked for through an ...Async call
  bytes,              -- moved
  gpu_ns              -- taken
FROM transfer
