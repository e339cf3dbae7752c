// Purpose: remove given relations of one type. Parameters: $rows (Arrow: source_id, target_id). Template: ${type}, ${source}, ${target}.
LOAD FROM $$rows MATCH (a:`${source}`)-[e:`${type}`]->(b:`${target}`) WHERE a.id = ${source_id} AND b.id = ${target_id} DELETE e
