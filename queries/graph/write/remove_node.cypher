// Purpose: remove nodes of one label with all their relations. Parameters: $rows (Arrow: node_id). Template: ${label}.
LOAD FROM $$rows MATCH (n:`${label}`) WHERE n.id = ${node_id} DETACH DELETE n
