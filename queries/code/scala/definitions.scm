; Scala: what a file defines.
(package_clause name: (_) @package)
(class_definition name: (_) @name) @definition.class
(class_definition (modifiers) @_implicit name: (_) @source class_parameters: (class_parameters . (class_parameter type: (_) @target)) (#match? @_implicit "implicit")) @mixin.instances
(extension_definition parameters: (parameters (parameter type: (_) @target))) @definition.extension
(package_object name: (_) @name) @definition.namespace
(object_definition name: (_) @name) @definition.class
(trait_definition name: (_) @name) @definition.trait
(enum_definition name: (_) @name) @definition.enum
(simple_enum_case name: (_) @name) @definition.constant
(type_definition name: (_) @name type: (_) @type) @definition.type
(function_definition name: (_) @name) @definition.function
(instance_expression (template_body)) @definition.anonymous
(instance_expression . (_) @base.extends (template_body))
(function_declaration name: (_) @name) @definition.signature_method
(class_parameter name: (_) @name type: (_) @type) @definition.parameter_field
(parameter name: (_) @name type: (repeated_parameter_type type: (_) @listed)) @local.rest
(parameter name: (_) @name type: (_) @type) @local.parameter
(val_definition pattern: (_) @name type: (_)? @type value: (_) @value) @local.variable
(var_definition pattern: (_) @name type: (_)? @type value: (_) @value) @local.variable
(val_declaration name: (_) @name type: (_) @type) @definition.field
(enumerator . (identifier) @name . (_) @element) @local.loop
(typed_pattern pattern: (_) @name type: (_) @type) @local.variable
(extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @base.extends)
(lambda_expression parameters: (identifier) @name @local.parameter)
(binding name: (_) @name type: (_)? @type) @local.parameter
(type_parameters name: (identifier) @name @local.typeparameter)
(lambda_expression) @definition.lambda
[(block) (case_clause) (for_expression)] @scope
[(if_expression) (for_expression) (while_expression) (case_clause) (catch_clause)] @branch
(annotation) @decorator
