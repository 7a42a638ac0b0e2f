-- Source lines that were measured, the one with the largest counts first.
SELECT
  instruction.file, -- as the line information has it
  instruction.line
FROM instruction_reading
JOIN instruction ON instruction.id = instruction_reading.instruction_id
WHERE instruction.file IS NOT NULL AND instruction.line > 0
GROUP BY instruction.file, instruction.line
ORDER BY total(instruction_reading.value) DESC, instruction.file, instruction.line
