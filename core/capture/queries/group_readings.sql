-- Counters with the groups of their launches, in the file's order; the reader adds them up by group and counter.
SELECT
  launch.group_id,   -- the group
  reading.metric_id, -- the counter
  reading.value      -- in one launch
FROM reading
JOIN launch ON launch.id = reading.launch_id
