// Purpose: facts that were replaced or are contested, with when they stopped holding and when that was learnt
// Parameters: none
// Columns: id, status, valid_to, retired_at
MATCH (f:Fact) WHERE f.status = 'superseded' OR f.status = 'contested' RETURN f.id AS id, f.status AS status, f.valid_to AS valid_to, f.retired_at AS retired_at
