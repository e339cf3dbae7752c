// Purpose: remove all relations of one type from given nodes to one label. Parameters: $rows (ids). Template: ${type}, ${source}, ${target}.
UNWIND $$rows AS id MATCH (a:`${source}` {id: id})-[e:`${type}`]->(b:`${target}`) DELETE e
