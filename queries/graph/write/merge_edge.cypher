// Purpose: merge relations of one type between two labels from a table; pairs with a missing end are left out. Returns the number of pairs that were there.
// Two MATCH clauses make two hash joins; one with both nodes makes a product. Parameters: $rows (Arrow: source_id, target_id, properties).
// Template: ${type}, ${source}, ${target}, ${set} (assignments, or nothing).
LOAD FROM $$rows MATCH (a:`${source}`) WHERE a.id = ${source_id} MATCH (b:`${target}`) WHERE b.id = ${target_id} MERGE (a)-[e:`${type}`]->(b) ${set} RETURN count(*)
