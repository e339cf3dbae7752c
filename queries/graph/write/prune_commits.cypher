// Purpose: commits that only a forgotten turn had named go. Parameters: none.
MATCH (c:Commit) WHERE c.at IS NULL AND NOT EXISTS { MATCH (c)<-[:PRODUCED]-(:Turn) } AND NOT EXISTS { MATCH (c)<-[:FIXED_BY]-() } AND NOT EXISTS { MATCH (c)-[:NEXT]->(:Commit) } DETACH DELETE c
