-- Counters summed over the launches of a group in which they were counted: one row a group and metric.
SELECT
  launch.group_id,            -- the group
  reading.metric_id,          -- the counter
  count(*) AS launches,       -- launches summed
  sum(reading.value) AS total -- over those launches
FROM reading
JOIN launch ON launch.id = reading.launch_id
GROUP BY launch.group_id, reading.metric_id
