// Purpose: remove all relations of one type from given nodes to one label. Parameters: $rows (Arrow: source_id). Template: ${type}, ${source}, ${target}.
LOAD FROM $$rows MATCH (a:`${source}`)-[e:`${type}`]->(b:`${target}`) WHERE a.id = ${source_id} DELETE e
