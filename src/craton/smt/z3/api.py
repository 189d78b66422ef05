"""z3's C functions, called directly.

z3's Python classes wrap every node in an object and every call in an error check, and importing them takes longer than
many verification runs. Here the library is loaded from the same package, handles are plain integers, and a handle of 0
(or an explicit `check_error`) signals an error.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

Handle = int


def _package() -> Path:
    found = importlib.util.find_spec("z3")
    if found is None or not found.submodule_search_locations:
        raise ImportError("the package z3-solver is not installed")
    return Path(found.submodule_search_locations[0])


def _constants() -> ModuleType:
    """z3's constants for kinds of nodes, sorts and answers, without the rest of its Python package."""
    spec = importlib.util.spec_from_file_location("craton_z3consts", _package() / "z3consts.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


consts: Any = _constants()
_LIBRARY_NAMES = {"darwin": "libz3.dylib", "win32": "libz3.dll"}
_library = ctypes.CDLL(str(_package() / "lib" / _LIBRARY_NAMES.get(sys.platform, "libz3.so")))

_C_TYPES: dict[str, Any] = {
    "p": ctypes.c_void_p,  # any handle, and arrays of handles
    "u": ctypes.c_uint,
    "l": ctypes.c_ulonglong,
    "i": ctypes.c_int,
    "b": ctypes.c_bool,
    "s": ctypes.c_char_p,
    "U": ctypes.POINTER(ctypes.c_uint),
    "v": None,
}


def function(name: str, signature: str) -> Callable[..., Any]:
    """z3's function `Z3_<name>` by its signature: result type, then argument types, in the letters above."""
    # Indexing a library (unlike attribute access) makes a new function object, so z3's own declarations stay as they
    # are.
    found = _library[f"Z3_{name}"]
    found.restype = _C_TYPES[signature[0]]
    found.argtypes = [_C_TYPES[letter] for letter in signature[1:]]
    return found


def handles(items: Sequence[Handle]) -> Any:
    """An array of handles for a call."""
    return (ctypes.c_void_p * len(items))(*items)


class Z3Error(Exception):
    """z3 refused a call."""


class Context:
    """A z3 context with manual reference counts: code that holds on to a node must call `keep`.

    Contexts live as long as the process (deleting one that still holds many nodes takes z3 quadratic time): use
    `shared`.
    """

    def __init__(self) -> None:
        config = mk_config()
        self.ref: Handle = mk_context_rc(config)
        del_config(config)
        set_error_handler(self.ref, None)  # z3's own handler would end the process

    def keep(self, node: Handle) -> Handle:
        """Protects a new node from being freed; 0 becomes an error."""
        if not node:
            self.fail()
        inc_ref(self.ref, node)
        return node

    def fail(self) -> None:
        raise Z3Error(get_error_msg(self.ref, get_error_code(self.ref)).decode(errors="replace"))

    def check_error(self) -> None:
        if get_error_code(self.ref):
            self.fail()

    def symbol(self, name: str) -> Handle:
        return mk_string_symbol(self.ref, name.encode())  # type: ignore[no-any-return]

    def params(self, **settings: bool | int | str) -> Handle:
        """A parameter set with a reference count of one: `params_dec_ref` frees it."""
        params: Handle = mk_params(self.ref)
        params_inc_ref(self.ref, params)
        for key, setting in settings.items():
            name = self.symbol(key.replace("__", "."))
            if isinstance(setting, bool):
                params_set_bool(self.ref, params, name, setting)
            elif isinstance(setting, int):
                params_set_uint(self.ref, params, name, setting)
            else:
                params_set_symbol(self.ref, params, name, self.symbol(setting))
        return params


mk_config = function("mk_config", "p")
del_config = function("del_config", "vp")
mk_context_rc = function("mk_context_rc", "pp")
set_error_handler = function("set_error_handler", "vpp")
get_full_version = function("get_full_version", "s")
inc_ref = function("inc_ref", "vpp")
get_error_code = function("get_error_code", "ip")
get_error_msg = function("get_error_msg", "spi")
interrupt = function("interrupt", "vp")
mk_string_symbol = function("mk_string_symbol", "pps")
mk_int_symbol = function("mk_int_symbol", "ppi")
get_symbol_kind = function("get_symbol_kind", "ipp")
get_symbol_string = function("get_symbol_string", "spp")
get_symbol_int = function("get_symbol_int", "ipp")
mk_params = function("mk_params", "pp")
params_inc_ref = function("params_inc_ref", "vpp")
params_dec_ref = function("params_dec_ref", "vpp")
params_set_bool = function("params_set_bool", "vpppb")
params_set_uint = function("params_set_uint", "vpppu")
params_set_symbol = function("params_set_symbol", "vpppp")

# Solvers
mk_solver = function("mk_solver", "pp")
mk_simple_solver = function("mk_simple_solver", "pp")
mk_solver_for_logic = function("mk_solver_for_logic", "ppp")
solver_inc_ref = function("solver_inc_ref", "vpp")
solver_dec_ref = function("solver_dec_ref", "vpp")
solver_push = function("solver_push", "vpp")
solver_pop = function("solver_pop", "vppu")
solver_assert = function("solver_assert", "vppp")
solver_assert_and_track = function("solver_assert_and_track", "vpppp")
solver_check_assumptions = function("solver_check_assumptions", "ippup")
solver_get_model = function("solver_get_model", "ppp")
solver_get_unsat_core = function("solver_get_unsat_core", "ppp")
solver_get_reason_unknown = function("solver_get_reason_unknown", "spp")
solver_set_params = function("solver_set_params", "vppp")

# Vectors and models
ast_vector_inc_ref = function("ast_vector_inc_ref", "vpp")
ast_vector_dec_ref = function("ast_vector_dec_ref", "vpp")
ast_vector_size = function("ast_vector_size", "upp")
ast_vector_get = function("ast_vector_get", "pppu")
model_inc_ref = function("model_inc_ref", "vpp")
model_dec_ref = function("model_dec_ref", "vpp")
model_get_num_consts = function("model_get_num_consts", "upp")
model_get_const_decl = function("model_get_const_decl", "pppu")
model_get_const_interp = function("model_get_const_interp", "pppp")
model_get_num_funcs = function("model_get_num_funcs", "upp")
model_get_func_decl = function("model_get_func_decl", "pppu")
model_get_func_interp = function("model_get_func_interp", "pppp")
func_interp_inc_ref = function("func_interp_inc_ref", "vpp")
func_interp_get_num_entries = function("func_interp_get_num_entries", "upp")
func_interp_get_entry = function("func_interp_get_entry", "pppu")
func_interp_get_else = function("func_interp_get_else", "ppp")
func_entry_inc_ref = function("func_entry_inc_ref", "vpp")
func_entry_get_value = function("func_entry_get_value", "ppp")
func_entry_get_num_args = function("func_entry_get_num_args", "upp")
func_entry_get_arg = function("func_entry_get_arg", "pppu")

# Taking terms apart
get_ast_kind = function("get_ast_kind", "ipp")
get_ast_id = function("get_ast_id", "upp")
get_sort = function("get_sort", "ppp")
get_sort_kind = function("get_sort_kind", "ipp")
get_bv_sort_size = function("get_bv_sort_size", "upp")
get_array_sort_domain = function("get_array_sort_domain", "ppp")
get_array_sort_range = function("get_array_sort_range", "ppp")
fpa_get_ebits = function("fpa_get_ebits", "upp")
fpa_get_sbits = function("fpa_get_sbits", "upp")
get_app_decl = function("get_app_decl", "ppp")
get_app_num_args = function("get_app_num_args", "upp")
get_app_arg = function("get_app_arg", "pppu")
get_decl_name = function("get_decl_name", "ppp")
get_decl_kind = function("get_decl_kind", "ipp")
get_decl_num_parameters = function("get_decl_num_parameters", "upp")
get_decl_parameter_kind = function("get_decl_parameter_kind", "ippu")
get_decl_int_parameter = function("get_decl_int_parameter", "ippu")
get_decl_func_decl_parameter = function("get_decl_func_decl_parameter", "pppu")
get_arity = function("get_arity", "upp")
get_domain = function("get_domain", "pppu")
get_range = function("get_range", "ppp")
get_numeral_string = function("get_numeral_string", "spp")
get_bool_value = function("get_bool_value", "ipp")
get_index_value = function("get_index_value", "upp")
is_quantifier_forall = function("is_quantifier_forall", "bpp")
is_quantifier_exists = function("is_quantifier_exists", "bpp")
get_quantifier_num_bound = function("get_quantifier_num_bound", "upp")
get_quantifier_bound_name = function("get_quantifier_bound_name", "pppu")
get_quantifier_bound_sort = function("get_quantifier_bound_sort", "pppu")
get_quantifier_body = function("get_quantifier_body", "ppp")
fpa_get_numeral_sign_bv = function("fpa_get_numeral_sign_bv", "ppp")
fpa_get_numeral_exponent_bv = function("fpa_get_numeral_exponent_bv", "pppb")
fpa_get_numeral_significand_bv = function("fpa_get_numeral_significand_bv", "ppp")

# Sorts and declarations
mk_bool_sort = function("mk_bool_sort", "pp")
mk_int_sort = function("mk_int_sort", "pp")
mk_real_sort = function("mk_real_sort", "pp")
mk_bv_sort = function("mk_bv_sort", "ppu")
mk_fpa_sort = function("mk_fpa_sort", "ppuu")
mk_fpa_rounding_mode_sort = function("mk_fpa_rounding_mode_sort", "pp")
mk_array_sort = function("mk_array_sort", "pppp")
mk_func_decl = function("mk_func_decl", "pppupp")
mk_const = function("mk_const", "pppp")
mk_app = function("mk_app", "pppup")

# Fixed points, tactics, parsing
mk_fixedpoint = function("mk_fixedpoint", "pp")
fixedpoint_inc_ref = function("fixedpoint_inc_ref", "vpp")
fixedpoint_dec_ref = function("fixedpoint_dec_ref", "vpp")
fixedpoint_set_params = function("fixedpoint_set_params", "vppp")
fixedpoint_register_relation = function("fixedpoint_register_relation", "vppp")
fixedpoint_add_rule = function("fixedpoint_add_rule", "vpppp")
fixedpoint_query = function("fixedpoint_query", "ippp")
fixedpoint_get_answer = function("fixedpoint_get_answer", "ppp")
fixedpoint_get_cover_delta = function("fixedpoint_get_cover_delta", "pppip")
fixedpoint_get_reason_unknown = function("fixedpoint_get_reason_unknown", "spp")
mk_tactic = function("mk_tactic", "pps")
tactic_inc_ref = function("tactic_inc_ref", "vpp")
tactic_dec_ref = function("tactic_dec_ref", "vpp")
tactic_and_then = function("tactic_and_then", "pppp")
tactic_try_for = function("tactic_try_for", "pppu")
tactic_apply = function("tactic_apply", "pppp")
mk_goal = function("mk_goal", "ppbbb")
goal_inc_ref = function("goal_inc_ref", "vpp")
goal_dec_ref = function("goal_dec_ref", "vpp")
goal_assert = function("goal_assert", "vppp")
goal_size = function("goal_size", "upp")
goal_formula = function("goal_formula", "pppu")
apply_result_inc_ref = function("apply_result_inc_ref", "vpp")
apply_result_dec_ref = function("apply_result_dec_ref", "vpp")
apply_result_get_num_subgoals = function("apply_result_get_num_subgoals", "upp")
apply_result_get_subgoal = function("apply_result_get_subgoal", "pppu")
simplify = function("simplify", "ppp")
parse_smtlib2_string = function("parse_smtlib2_string", "ppsuppupp")
