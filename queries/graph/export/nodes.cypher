// Purpose: all nodes of one label, for an export
// Template: label, columns
MATCH (n:`${label}`) RETURN ${columns} ORDER BY n.id
