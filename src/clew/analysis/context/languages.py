"""The languages whose files can be read: one line in a table each.

Each grammar is a wheel of its own that brings its parser along; nothing is fetched at run time.
"""

from __future__ import annotations

from pathlib import PurePosixPath

import msgspec

__all__ = ["LANGUAGES", "Language", "language_of"]


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """How one language is read; the kinds are those of its grammar's nodes.

    `imports` is a query whose captures are the imports. A node of `scopes` is shown by its head and
    by what its body holds, one of `heads` by its head alone, one of `whole` by its first lines;
    `wrappers` stand around one of those, as decorators do.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    entry: str = "language"
    imports: str
    scopes: frozenset[str]
    heads: frozenset[str]
    whole: frozenset[str]
    wrappers: frozenset[str] = frozenset()


def _kinds(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SCRIPT_IMPORTS = """
(import_statement source: (string) @path)
(export_statement source: (string) @path)
(call_expression function: [(identifier) (import)] @called arguments: (arguments . (string) @path)
  (#match? @called "^(require|import)$"))
"""
_SCRIPT_SCOPES = "class_declaration class_body abstract_class_declaration internal_module"
_SCRIPT_HEADS = "function_declaration generator_function_declaration method_definition"
_SCRIPT_WHOLE = (
    "import_statement lexical_declaration variable_declaration field_definition"
    " public_field_definition interface_declaration type_alias_declaration enum_declaration"
    " abstract_method_signature function_signature"
)
_C_IMPORTS = "(preproc_include path: [(string_literal) (system_lib_string)] @path)"
_C_SCOPES = "linkage_specification preproc_ifdef preproc_if preproc_else"
_C_WHOLE = (
    "preproc_include preproc_def preproc_function_def declaration type_definition"
    " struct_specifier enum_specifier union_specifier"
)

LANGUAGES = (
    Language(
        name="python",
        suffixes=(".py", ".pyi"),
        module="tree_sitter_python",
        imports="[(import_statement) (import_from_statement)] @statement",
        scopes=_kinds("class_definition if_statement try_statement with_statement else_clause"),
        heads=_kinds("function_definition"),
        whole=_kinds(
            "import_statement import_from_statement future_import_statement assignment"
            " augmented_assignment type_alias_statement"
        ),
        wrappers=_kinds("decorated_definition expression_statement"),
    ),
    Language(
        name="javascript",
        suffixes=(".js", ".jsx", ".mjs", ".cjs"),
        module="tree_sitter_javascript",
        imports=_SCRIPT_IMPORTS,
        scopes=_kinds(_SCRIPT_SCOPES),
        heads=_kinds(_SCRIPT_HEADS),
        whole=_kinds(_SCRIPT_WHOLE),
        wrappers=_kinds("export_statement"),
    ),
    *(
        Language(
            name=name,
            suffixes=suffixes,
            module="tree_sitter_typescript",
            entry=f"language_{name}",
            imports=_SCRIPT_IMPORTS,
            scopes=_kinds(_SCRIPT_SCOPES),
            heads=_kinds(_SCRIPT_HEADS),
            whole=_kinds(_SCRIPT_WHOLE),
            wrappers=_kinds("export_statement ambient_declaration expression_statement"),
        )
        for name, suffixes in (("typescript", (".ts", ".mts", ".cts")), ("tsx", (".tsx",)))
    ),
    Language(
        name="go",
        suffixes=(".go",),
        module="tree_sitter_go",
        imports="(import_spec path: (_) @path)",
        scopes=frozenset(),
        heads=_kinds("function_declaration method_declaration"),
        whole=_kinds(
            "package_clause import_declaration const_declaration var_declaration type_declaration"
        ),
    ),
    Language(
        name="rust",
        suffixes=(".rs",),
        module="tree_sitter_rust",
        imports="(use_declaration argument: (_) @use) (mod_item name: (identifier) @mod !body)",
        scopes=_kinds("impl_item trait_item mod_item"),
        heads=_kinds("function_item"),
        whole=_kinds(
            "use_declaration const_item static_item struct_item enum_item union_item type_item"
            " function_signature_item associated_type macro_definition attribute_item"
        ),
    ),
    Language(
        name="java",
        suffixes=(".java",),
        module="tree_sitter_java",
        imports="(import_declaration) @import (package_declaration) @package"
        " (type_identifier) @type",
        scopes=_kinds(
            "class_declaration interface_declaration enum_declaration record_declaration"
        ),
        heads=_kinds("method_declaration constructor_declaration"),
        whole=_kinds("package_declaration import_declaration field_declaration enum_constant"),
    ),
    Language(
        name="c",
        suffixes=(".c", ".h"),
        module="tree_sitter_c",
        imports=_C_IMPORTS,
        scopes=_kinds(_C_SCOPES),
        heads=_kinds("function_definition"),
        whole=_kinds(_C_WHOLE),
    ),
    Language(
        name="cpp",
        suffixes=(".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"),
        module="tree_sitter_cpp",
        imports=_C_IMPORTS,
        scopes=_kinds(f"{_C_SCOPES} namespace_definition class_specifier"),
        heads=_kinds("function_definition"),
        whole=_kinds(f"{_C_WHOLE} field_declaration alias_declaration using_declaration"),
        wrappers=_kinds("template_declaration"),
    ),
    Language(
        name="ruby",
        suffixes=(".rb",),
        module="tree_sitter_ruby",
        imports="((call method: (identifier) @called) @statement"
        ' (#match? @called "^require(_relative)?$"))',
        scopes=_kinds("class module body_statement singleton_class"),
        heads=_kinds("method singleton_method"),
        whole=_kinds("assignment call"),
    ),
)
_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: str) -> Language | None:
    """Return the language that a file is read as; None if there is no grammar for it."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())
