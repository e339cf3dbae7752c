; inherits: ecmascript
; JavaScript: nothing of its own.
