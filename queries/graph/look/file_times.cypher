// Purpose: when each file was first and last changed and when last removed, for going back in time
// Parameters: none
// Columns: id, path, first, last change that left it there, last removal
MATCH (c:Commit)-[t:TOUCHES]->(f:File) RETURN f.id, f.path, min(c.at), max(CASE WHEN t.change <> 'D' THEN c.at END), max(CASE WHEN t.change = 'D' THEN c.at END)
