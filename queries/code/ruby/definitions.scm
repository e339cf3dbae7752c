; Ruby: what a file defines. A module is a namespace that several files may share.
(module name: (_) @name) @definition.namespace
(class name: (_) @name) @definition.class
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
(superclass (_) @base.extends)
(call !receiver method: (identifier) @_m arguments: (argument_list [(constant) (scope_resolution)] @base.extends)
  (#match? @_m "^(include|extend|prepend)$"))
(call !receiver method: (identifier) @_m arguments: (argument_list (simple_symbol) @name @definition.attribute)
  (#match? @_m "^(attr_(reader|writer|accessor)|[mc]attr_(reader|writer|accessor)|class_attribute|attribute|store_accessor|config_accessor|delegate|has_many|has_one|belongs_to|has_and_belongs_to_many|(has_one|has_many)_attached)$"))
(call !receiver method: (identifier) @_m arguments: (argument_list . (simple_symbol) @name @definition.attribute)
  (#match? @_m "^(define_method|alias_method|thread_mattr_accessor|enum|property|field|prop)$"))
(call !receiver method: (identifier) @_m arguments: (argument_list . (_) (simple_symbol) @name @definition.attribute)
  (#match? @_m "^(def_delegators?|def_instance_delegators?|store_accessor)$"))
(call !receiver method: (identifier) @_m arguments: (argument_list . (_) . (_) (simple_symbol) @name @definition.attribute)
  (#match? @_m "^(def_delegators?|def_instance_delegators?|store_accessor)$"))
(call !receiver method: (identifier) @_m arguments: (argument_list . (simple_symbol) @name @definition.class_attribute)
  (#match? @_m "^(named_)?scope$"))
(alias name: (_) @name @definition.attribute)
(assignment left: (constant) @name right: (_)? @value) @local.variable
(assignment left: (identifier) @name right: (_) @value) @local.variable
(call !receiver method: (identifier) @_m arguments: (argument_list . (simple_symbol) @name)
  block: [(block body: (_) @value) (do_block body: (_) @value)] (#match? @_m "^(let!?|let_it_be|subject)$")) @local.variable
(call !receiver method: (identifier) @name !arguments
  block: [(block body: (_) @value) (do_block body: (_) @value)] (#match? @name "^subject!?$")) @local.variable
(call method: (identifier) @name arguments: (argument_list . [(constant) (scope_resolution)] @value) (#match? @name "^(describe|context|feature)$")) @local.described
(assignment left: (instance_variable) @left right: (_) @right) @assign
(method_parameters [(identifier) @name (optional_parameter name: (_) @name)] @local.parameter)
(method_parameters [(splat_parameter name: (_) @name) (splat_parameter . "*" @name .) (forward_parameter) @name] @local.rest)
(method_parameters [(keyword_parameter name: (_) @name) (hash_splat_parameter name: (_) @name) (hash_splat_parameter . "**" @name .)] @local.keyword)
(method_parameters (block_parameter name: (_) @name) @local.taken)
(block_parameters (identifier) @name @local.block)
(exception_variable (identifier) @name @local.block)
[(block) (do_block) (lambda)] @scope
(return (argument_list (_) @return))
(method body: (body_statement [(call) (identifier) (constant) (scope_resolution) (self) (instance_variable) (conditional)] @return .))
(singleton_method body: (body_statement [(call) (identifier) (constant) (scope_resolution) (self) (instance_variable) (conditional)] @return .))
(method body: (body_statement (assignment right: (_) @return) .))
(method body: (body_statement (operator_assignment right: (_) @return) .))
(singleton_method body: (body_statement (operator_assignment right: (_) @return) .))
[(if) (elsif) (unless) (while) (until) (for) (when) (rescue) (conditional) (if_modifier) (unless_modifier)
 (binary operator: ["&&" "||"])] @branch
