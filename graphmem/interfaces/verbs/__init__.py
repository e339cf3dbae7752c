"""The verbs: each a function whose signature is its interface, in one module for each subject. `registry.VERBS` lists all."""
