-- Which launches ran natively, and how long: one row a launch, in the file's order. Each under its own group, so that
-- those of a later run of the program are not taken for the first run's.
SELECT
  group_id,                                             -- its kernel and shape
  CASE WHEN window_id IS NULL THEN gpu_ns END AS gpu_ns -- NULL: not timed, or measured in a window
FROM main.launch
