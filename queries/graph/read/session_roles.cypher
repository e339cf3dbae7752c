// Purpose: how many turns of a session each role has
// Parameters: id
// Columns: role, turns
MATCH (s:Session {id: $id})<-[:PART_OF]-(t:Turn) RETURN t.role AS role, count(*) AS turns ORDER BY role
