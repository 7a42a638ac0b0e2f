-- Which launches ran natively, and how long: one row a launch, in the file's order.
SELECT
  group_id,                                             -- its kernel and shape
  CASE WHEN window_id IS NULL THEN gpu_ns END AS gpu_ns -- NULL: not timed, or measured in a window
FROM launch
