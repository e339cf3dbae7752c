// Differs: `+` for `concat`, lists are stored as lists.
MATCH (m:Memory) WHERE m.id ENDS WITH '_' + $id OR $id IN m.absorbed RETURN m.id AS id ORDER BY id
