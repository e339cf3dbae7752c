// Purpose: facts that contradict each other and of which neither gave way: not superseded, not retired, not judged
// Parameters: none
// Columns: a, b, told_a, told_b
MATCH (a:Fact)-[c:CONTRADICTS]->(b:Fact)
WHERE (c.resolution IS NULL OR c.resolution = '' OR c.resolution = 'open')
  AND a.retired_at IS NULL AND b.retired_at IS NULL AND a.valid_to IS NULL AND b.valid_to IS NULL
  AND NOT a.status IN ['superseded', 'deprecated'] AND NOT b.status IN ['superseded', 'deprecated']
RETURN a.id AS a, b.id AS b, a.recorded_at AS told_a, b.recorded_at AS told_b
