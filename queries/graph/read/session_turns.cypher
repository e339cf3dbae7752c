// Purpose: the turns of a session in order
// Parameters: id, limit=50, offset=0
// Columns: id, ref, role, at, content, tool, command, exit_code, failed, metadata
MATCH (s:Session {id: $id})<-[:PART_OF]-(t:Turn) RETURN t.id AS id, t.ref AS ref, t.role AS role, t.at AS at, t.content AS content, t.tool AS tool, t.command AS command, t.exit_code AS exit_code, t.failed AS failed, t.metadata AS metadata
ORDER BY t.at, t.sequence, id SKIP $offset LIMIT $limit
