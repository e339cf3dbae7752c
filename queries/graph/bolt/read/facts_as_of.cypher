// Differs: `datetime`.
MATCH (f:Fact)
WHERE f.valid_from <= datetime($at) AND f.recorded_at <= datetime($known)
  AND (f.valid_to IS NULL OR f.valid_to > datetime($at) OR f.retired_at > datetime($known))
RETURN f.content AS content, f.kind AS kind, f.valid_from AS valid_from, f.valid_to AS valid_to, f.recorded_at AS recorded_at, f.id AS id ORDER BY valid_from DESC LIMIT $limit
