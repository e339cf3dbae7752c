// Purpose: merge relations of one type between two labels; pairs with a missing end are left out. Returns the numbers of the others.
// Parameters: $rows (maps: number, source, target, set). Template: ${type}, ${source}, ${target}.
UNWIND $$rows AS row MATCH (a:`${source}` {id: row.source}) MATCH (b:`${target}` {id: row.target}) MERGE (a)-[e:`${type}`]->(b) SET e += row.set RETURN row.number AS number
