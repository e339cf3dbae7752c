// Purpose: entities that nothing mentions any more go, with their last mention forgotten. Parameters: none. Template: ${label}, Entity and each own type.
MATCH (e:`${label}`) WHERE NOT EXISTS { MATCH (e)-[]-() } DELETE e
