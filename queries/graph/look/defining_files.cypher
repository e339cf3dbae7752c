// Purpose: the file of each symbol and unresolved call
// Parameters: none
// Columns: id, path
MATCH (n:Symbol) WHERE n.file <> '' RETURN n.id, n.file
UNION ALL MATCH (n:CallSite) WHERE n.file <> '' RETURN n.id, n.file
