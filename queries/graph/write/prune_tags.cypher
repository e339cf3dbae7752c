// Purpose: tags that nothing carries any more go. Parameters: none.
MATCH (t:Tag) WHERE NOT EXISTS { MATCH (t)-[]-() } DELETE t
