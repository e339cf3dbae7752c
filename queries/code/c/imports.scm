; C and C++: an include brings in everything of a header.
(preproc_include path: (_) @import.source) @import.include
