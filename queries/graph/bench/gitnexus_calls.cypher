// Purpose: the calls of an index of GitNexus, asked with its own program
// Parameters: none
// Columns: path, line, caller, callee_path, callee_line, callee
MATCH (a)-[r:CodeRelation]->(b) WHERE r.type = 'CALLS'
RETURN a.filePath AS path, a.startLine AS line, a.name AS caller,
       b.filePath AS callee_path, b.startLine AS callee_line, b.name AS callee
