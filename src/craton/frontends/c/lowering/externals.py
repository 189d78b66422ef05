"""Calls of functions without a body: those that the library knows, inputs, and unknown ones."""

from __future__ import annotations

from craton.frontends.c.automaton.lvalue import Plain, Value
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.library.functions import Record, floating_type
from craton.frontends.c.library.platform import in_c_library
from craton.frontends.c.library.table import library_function
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.unknowns import Unknowns
from craton.frontends.c.memory.escapes import Escapes
from craton.frontends.c.syntax.expressions import literal_text
from craton.frontends.c.syntax.nodes import Function, Node, Variable
from craton.frontends.c.syntax.types import Floating, Pointer, Void, sort_of
from craton.frontends.c.syntax.types import Record as RecordType
from craton.frontends.c.syntax.unknown_functions import UnknownFunctions
from craton.logic import Term
from craton.program.cfa import UNREACH
from craton.program.specification import ASSERTION_FAILURES

_NONDET = ("__VERIFIER_nondet_", "nondet_")
_COMPILERS = ("__builtin_", "__sync_", "__atomic_", "__c11_")  # whose meaning no rules of a collection give
_ERRORS = ("__VERIFIER_error", "reach_error", "__VERIFIER_abort")
_NAMED = "functions that are not defined call none of the program's by their names"
_ERRNO = "__craton_errno"  # what the library's C text calls it


class Externals:
    """Lowers calls that leave the program's text."""

    def __init__(self, frame: Frame, expressions: Expressions, unknowns: Unknowns, lowering: Lowering) -> None:
        self._frame = frame
        self._context = frame.context
        self._builder = frame.builder
        self._expressions = expressions
        self._unknowns = unknowns
        self._lowering = lowering  # what handlers of the library ask

    def call(self, function: Function, node: Node) -> Value:
        """As the library says; else like an unknown function."""
        known = library_function(function.name)
        name = known.name
        if known.fidelity.approximates:
            self._context.approximated[name] = None
        if known.handler is not None:
            if known.record is not None and not _fits(known.record, node.children[1:]):
                return self._unmodelled(f"a call of {name} with other arguments than it takes", node)
            found = known.handler(self._lowering, node, node.children[1:])
            if found is not None:
                if isinstance(found, Term) and not isinstance(node.type, Void) and found.sort is not sort_of(node.type):
                    raise self._frame.unsupported(f"{name}, declared with another type than the library's,", node)
                if known.record is not None and known.record.sets_errno:
                    self._set_errno(name)
                return found
        for argument in node.children[1:]:
            if name not in ASSERTION_FAILURES or literal_text(argument) is None:  # nobody reads what it says
                self._expressions.value(argument)
        return self._with_values(function, node)

    def end(self) -> Value:
        """The program ends, as by `exit`."""
        self._lowering.ending.at_exit()
        self._builder.stop()
        return ()

    def through_pointer(self, function: Function, node: Node) -> Value:
        """A call through a pointer, whose arguments have been evaluated, of a function without a body."""
        if library_function(function.name).handler is not None:
            return self._unmodelled(f"a call of {function.name} through a pointer", node)
        return self._with_values(function, node)

    def _with_values(self, function: Function, node: Node) -> Value:
        """A call whose arguments have been evaluated: of an assertion that fails, an input, or an unknown function."""
        name = function.name
        specification = self._context.specification
        if name in ASSERTION_FAILURES:
            if specification.assertions:
                self._builder.error(UNREACH)
            else:
                self._builder.stop()
            return self._unknowns.arbitrary(node.type)
        if name in _ERRORS:
            self._builder.stop()
            return self._unknowns.arbitrary(node.type)
        if _is_input(name):
            if any(map(_is_handed_memory, node.children[1:])):
                return self._unmodelled(f"a call of {name}, which may write what it is given", node)
            return self._unknowns.input(name, node.type)
        if name.startswith(_COMPILERS):
            return self._unmodelled(f"a call of {name}", node)
        return self._unknown(function, node)

    # --- functions that nobody knows ----------------------------------------------------------------------------------

    def _unknown(self, function: Function, node: Node) -> Value:
        name = function.name
        self._context.taken_for_unknown[name] = None
        match self._context.unknown_functions:
            case UnknownFunctions.REFUSE:
                return self._unmodelled(f"a call of the unknown function {name}", node)
            case UnknownFunctions.ARBITRARY:
                return self._arbitrary(function, node)
        if function.stops:
            self._builder.stop()
            return self._unknowns.arbitrary(node.type)
        if any(isinstance(argument.type, Pointer | RecordType) for argument in node.children[1:]) and in_c_library(
            name
        ):
            return self._unmodelled(f"a call of {name}, of which there is no record,", node)
        if isinstance(node.type, Void):
            self._context.assume(f"unknown function {name} changes nothing")
            return ()
        self._context.assume(f"unknown function {name} returns an arbitrary value and changes nothing")
        return self._result(name, node)

    def _arbitrary(self, function: Function, node: Node) -> Value:
        """It changes what it can reach, and returns anything; or nothing, which no property is about."""
        if function.stops:
            self._builder.stop()
            return self._unknowns.arbitrary(node.type)
        self._context.assume(_NAMED)
        escapes = self._context.escapes()
        why = self._beyond_arbitrary(escapes, node)
        if why:
            return self._unmodelled(f"a call of the unknown function {function.name}, which {why}", node)
        changed = [part.term for variable in escapes.variables for part in self._plain(variable)]
        changed += [self._context.memory.region(place).array for place in escapes.places]
        if changed:
            self._context.approximated[function.name] = None
            self._builder.havoc(*dict.fromkeys(changed))
        return self._result(function.name, node)

    def _beyond_arbitrary(self, escapes: Escapes, node: Node) -> str:
        """Why changing plain values is not all that an unknown function may do; "" if it is."""
        if escapes.reaches_anything and self._context.specification.memory:
            return "may free memory"
        if escapes.functions:
            return f"may call {escapes.functions[0]}"
        if escapes.stores_pointers:
            return "may change pointers"
        if escapes.reaches_anything and isinstance(node.type, Pointer | RecordType):
            return "may return pointers to what it can reach"
        return ""

    def _plain(self, variable: Variable) -> Plain:
        return self._lowering.variables.variable(variable).plain or ()

    def _result(self, name: str, node: Node) -> Value:
        if isinstance(node.type, RecordType):
            return self._unknowns.arbitrary(node.type)
        return self._unknowns.input(name, node.type)

    def _unmodelled(self, construct: str, node: Node) -> Value:
        self._builder.unmodelled(construct)
        return self._unknowns.arbitrary(node.type)

    def _set_errno(self, name: str) -> None:
        """Where the program looks at errno, it is arbitrary behind the call."""
        errno = self._context.program.globals.get(_ERRNO)
        if errno is not None and errno in self._context.scan.globals:
            self._context.approximated[name] = None
            self._lowering.access.store(self._lowering.variables.variable(errno), self._unknowns.arbitrary(errno.type))


def _is_input(name: str) -> bool:
    return name.startswith(_NONDET) or name == "nondet"


def is_unknown(function: Function) -> bool:
    """Whether a function without a body is one that nobody knows."""
    name = function.name
    if library_function(name).handler is not None or name.startswith(_COMPILERS):
        return False
    return not _is_input(name) and name not in ASSERTION_FAILURES and name not in _ERRORS


def _is_handed_memory(argument: Node) -> bool:
    """Whether a function that gets it may write to memory: `__VERIFIER_nondet_memory(&x, sizeof x)`. Nobody writes to
    a name.
    """
    return isinstance(argument.type, Pointer | RecordType) and literal_text(argument) is None


def _fits(record: Record, arguments: tuple[Node, ...]) -> bool:
    """Whether arguments are as many as a library function takes, and found where it looks for them: declarations
    without a prototype, or with a wrong one, promise neither.
    """
    expected = [parameter for parameter in record.parameters if parameter != "..."]
    if len(arguments) < len(expected) or (len(arguments) > len(expected) and not record.is_variadic):
        return False
    return all(
        (str(argument.type) if isinstance(argument.type, Floating) else "") == floating_type(parameter)
        for argument, parameter in zip(arguments, expected, strict=False)
    )
