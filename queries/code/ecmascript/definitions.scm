; JavaScript and TypeScript: what a file defines. Captures are explained in graphmem/codegraph/generic/reader.py.
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(class) @definition.class
(method_definition name: (_) @name) @definition.method

(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @claims) @definition.function
(variable_declarator name: (identifier) @name value: (class) @claims) @definition.class
(variable_declarator name: (identifier) @name value: (object) @claims) @definition.object

(pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)] @claims) @definition.method
(pair key: (_) @name value: (object) @claims) @definition.property_object
(pair key: (_) @name value: (_) @value) @definition.property
(object (shorthand_property_identifier) @name @value @definition.property)
(object (spread_element (_) @base.extends))

[(arrow_function) (function_expression) (generator_function)] @definition.lambda
(object) @definition.object_literal

(arrow_function parameter: (identifier) @name @local.parameter)
(catch_clause parameter: (_) @name) @scope.catch
(for_in_statement left: (_) @name right: (_) @element) @local.loop
[(statement_block) (for_statement) (switch_body)] @scope

(assignment_expression left: [(member_expression) (subscript_expression)] @left right: (_) @right) @assign
(assignment_expression left: [(identifier) (array_pattern) (object_pattern)] @name right: (_) @value) @reassign
(augmented_assignment_expression left: (identifier) @name operator: ["||=" "??=" "&&="] right: (_) @value) @reassign.weak
(augmented_assignment_expression left: [(member_expression) (subscript_expression)] @left operator: ["||=" "??=" "&&="] right: (_) @right) @assign.weak
(throw_statement (_) @return.throw)
(return_statement (_) @return)
(yield_expression (_) @return.yield)
(arrow_function body: (expression) @return)
[(if_statement) (for_statement) (for_in_statement) (while_statement) (do_statement) (switch_case) (catch_clause)
 (ternary_expression) (binary_expression operator: ["&&" "||" "??"])] @branch
(decorator) @decorator
(export_statement declaration: (_)) @export
(call_expression function: [(identifier) (member_expression)] @_mixin arguments: (arguments . [(identifier) (member_expression)] @target . (_) @source)
  (#match? @_mixin "^((Object|_|lodash|util)[.])?(assign|mixin|extend|merge|inherits|defaults|mergeDescriptors|setPrototypeOf)$")) @mixin
