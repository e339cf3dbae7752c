; Lua: `require` is a call whose value is the module, so it needs no pattern here.
