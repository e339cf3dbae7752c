// Purpose: facts that held at one time (`at`), as far as the store knew at another (`known`); times such as '2026-03-01'
// Parameters: at, known='9999-12-31', limit=200
// Columns: content, kind, valid_from, valid_to, recorded_at, id
MATCH (f:Fact)
WHERE f.valid_from <= timestamp($at) AND f.recorded_at <= timestamp($known)
  AND (f.valid_to IS NULL OR f.valid_to > timestamp($at) OR f.retired_at > timestamp($known))
RETURN f.content AS content, f.kind AS kind, f.valid_from AS valid_from, f.valid_to AS valid_to, f.recorded_at AS recorded_at, f.id AS id ORDER BY valid_from DESC LIMIT $limit
