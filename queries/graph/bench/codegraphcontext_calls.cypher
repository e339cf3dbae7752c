// Purpose: the calls of an index of CodeGraphContext, asked with its own program
// Parameters: none
// Columns: path, line, callee_path, callee_line, callee
MATCH (a)-[r:CALLS]->(b)
RETURN a.path AS path, r.line_number AS line, b.path AS callee_path, b.line_number AS callee_line, b.name AS callee
