// Purpose: an entity that nothing mentions any more is merged into nothing, so that it can go. Parameters: none.
MATCH (e:Entity)-[r:RESOLVES_TO]->(k:Entity) WHERE NOT EXISTS { MATCH (e)<-[:MENTIONS]-() } OR NOT EXISTS { MATCH (k)<-[:MENTIONS]-() } DELETE r
