// Purpose: remove given relations of one type. Parameters: $rows (maps: source, target). Template: ${type}, ${source}, ${target}.
UNWIND $$rows AS row MATCH (a:`${source}` {id: row.source})-[e:`${type}`]->(b:`${target}` {id: row.target}) DELETE e
