-- Transfers by class: one row for each device, direction, kind of memory at both ends, way of asking, and size
-- within a factor of four (so that many small copies do not hide behind a large one); most time first.
WITH
  same_size AS (
    SELECT
      device_id, direction, source_memory, destination_memory, asynchronous, bytes,
      count(*) AS transfers,
      sum(gpu_ns) AS gpu_ns
    FROM transfer
    GROUP BY device_id, direction, source_memory, destination_memory, asynchronous, bytes
  )
SELECT
  device_id,                       -- the device that did it
  direction,                       -- from where to where
  source_memory,                   -- kind of memory read
  destination_memory,              -- kind of memory written
  asynchronous,                    -- 1: asked for through an ...Async call
  min(bytes) AS smallest_bytes,    -- of the class
  max(bytes) AS largest_bytes,     -- of the class
  sum(transfers) AS transfers,     -- how many
  sum(bytes * transfers) AS bytes, -- moved by all
  sum(gpu_ns) AS gpu_ns            -- taken by all
FROM same_size
GROUP BY
  device_id, direction, source_memory, destination_memory, asynchronous,
  -- The power of four: two for each hexadecimal digit, less one where the first is below 4.
  length(printf('%x', bytes)) * 2 + (substr(printf('%x', bytes), 1, 1) >= '4')
ORDER BY sum(gpu_ns) DESC
