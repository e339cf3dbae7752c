"""How people and programs reach graphmem."""
