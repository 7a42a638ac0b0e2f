-- Where transfers that have a time stand in it, in the file's order.
SELECT
  process_id,         -- who asked
  device_id,          -- the device that did it
  direction,          -- from where to where
  source_memory,      -- kind of memory read
  destination_memory, -- kind of memory written
  asynchronous,       -- 1: asked for through an ...Async call
  bytes,              -- moved
  start_ns,           -- of the GPU
  gpu_ns,             -- taken
  stream,             -- CUPTI's number
  call_site_id,       -- the place; NULL: not looked at
  address             -- of a set, what a copy within the device reads, or one from the host stores to; NULL: not known
FROM transfer
WHERE gpu_ns > 0
