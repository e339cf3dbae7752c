// Purpose: all relations of one type between two labels, for an export
// Template: type, source, target, columns
MATCH (a:`${source}`)-[r:`${type}`]->(b:`${target}`) RETURN a.id AS source, b.id AS target${columns} ORDER BY source, target
