// Purpose: the stored values of the relations of a type between two labels whose sources are in some places, to be copied. Parameters: $from, $until.
// Template: ${type}, ${source}, ${target}, ${columns}.
MATCH (a:`${source}`)-[r:`${type}`]->(b:`${target}`) WHERE offset(id(a)) >= $$from AND offset(id(a)) < $$until
RETURN a.id AS source, b.id AS target${columns}
