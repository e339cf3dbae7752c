// Purpose: entities that nothing mentions any more go, with their last mention forgotten. Parameters: none.
MATCH (e:Entity) WHERE NOT EXISTS { MATCH (e)-[]-() } DELETE e
