// Purpose: set the properties of relations of one type between two labels that exist. Returns the pairs of ids that have such a relation.
// Parameters: $rows (Arrow: source_id, target_id, properties). Template: ${type}, ${source}, ${target}, ${set} (assignments, or nothing).
LOAD FROM $$rows MATCH (a:`${source}`)-[e:`${type}`]->(b:`${target}`) WHERE a.id = ${source_id} AND b.id = ${target_id} ${set} RETURN a.id, b.id
