; inherits: typescript
; TypeScript with JSX: nothing of its own.
