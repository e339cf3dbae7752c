; inherits: c
; C++: nothing of its own here; `using` lies in definitions.scm because it names what it brings in.
