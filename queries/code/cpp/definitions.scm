; inherits: c
; C++: classes, namespaces, templates, and what C does not have.
(class_specifier name: (_) @name body: (_)) @definition.class
(namespace_definition name: (_) @name body: (_)) @definition.namespace
(alias_declaration name: (_) @name type: (_) @type) @definition.type
(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base.extends)
(for_range_loop declarator: (_) @name right: (_) @element) @local.loop
(type_parameter_declaration (type_identifier) @name) @local.typeparameter
(optional_parameter_declaration type: (_) @type declarator: (_) @name) @local.parameter
(catch_clause) @branch
(for_range_loop) @branch
(lambda_expression) @definition.lambda
(using_declaration (qualified_identifier) @import.source) @import.path
(using_declaration "namespace" [(identifier) (qualified_identifier) (namespace_identifier)] @import.source) @import.using
(namespace_alias_definition name: (_) @import.alias (_) @import.source .) @import.path
(field_declaration_list (declaration !type declarator: (function_declarator declarator: (identifier)) @name) @definition.member)
