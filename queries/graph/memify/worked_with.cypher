// Purpose: what people of a project speak of, by sessions
// Parameters: types, least
// Columns: project, name, type, sessions, turns
MATCH (t:Turn)-[:MENTIONS]->(e:Entity) WHERE t.role = 'user' AND e.type IN $types
WITH t.project AS project, e.name AS name, e.type AS type, t.session AS session, count(*) AS said
WITH project, name, type, count(*) AS sessions, sum(said) AS turns
WHERE sessions >= $least RETURN project, name, type, sessions, turns ORDER BY sessions DESC, turns DESC, name LIMIT 200
