// Purpose: how many relations of a type there are between two labels.
// Template: ${type}, ${source}, ${target}.
MATCH (:`${source}`)-[r:`${type}`]->(:`${target}`) RETURN count(*)
