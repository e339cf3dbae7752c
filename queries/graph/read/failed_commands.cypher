// Purpose: commands that failed in sessions, newest first
// Parameters: none
// Columns: at, session, command, exit_code
MATCH (t:Turn)-[:PART_OF]->(s:Session) WHERE t.command IS NOT NULL AND t.exit_code <> 0 RETURN t.at AS at, s.ref AS session, t.command AS command, t.exit_code AS exit_code ORDER BY at DESC
