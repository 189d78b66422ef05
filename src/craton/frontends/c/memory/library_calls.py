"""What library functions do with pointers: the constraints of calls to them, by name."""

from __future__ import annotations

from craton.frontends.c.memory.places import Place, Places, find
from craton.frontends.c.memory.scan import Scan
from craton.frontends.c.syntax.nodes import LVALUES, Function, Kind, Node, Variable
from craton.frontends.c.syntax.types import (
    ArrayType,
    CType,
    Floating,
    FunctionType,
    Integer,
    Pointer,
    Record,
    Void,
)

# Library functions by what they do with pointers.
ALLOCATES = frozenset(
    "malloc calloc alloca __builtin_alloca __builtin_malloc __builtin_calloc valloc memalign aligned_alloc "
    "kmalloc __builtin_alloca_with_align strdup".split()
)
COPIES = frozenset(
    "memcpy memmove __builtin_memcpy __builtin_memmove __memcpy __builtin___memcpy_chk __builtin___memmove_chk".split()
)
SETS = frozenset("memset __builtin_memset __memset __builtin___memset_chk".split())
RETURNS_FIRST = frozenset(
    "memcpy memmove memset strcpy strncpy strcat strncat strchr strrchr strstr memchr __builtin_memcpy "
    "__builtin_memmove __builtin_memset __builtin_strcpy __builtin_strncpy __builtin_strcat __builtin_strncat "
    "__builtin_strchr __builtin_strrchr __builtin_strstr __builtin_memchr realloc __builtin_realloc __memcpy __memset "
    "__builtin_assume_aligned __builtin___memcpy_chk __builtin___memset_chk __builtin___memmove_chk "
    "__builtin___strcpy_chk strpbrk stpcpy fgets gets __builtin_expect".split()
)
BYTES = frozenset(
    "snprintf vsnprintf sprintf vsprintf gets fgets read fread recv "
    "memcmp memchr bcmp __builtin_memcmp __builtin_memchr strcpy strncpy strcat strncat strcmp strncmp strlen strchr "
    "strrchr strstr strdup puts strcasecmp strncasecmp strspn strcspn strpbrk strnlen stpcpy __builtin_strlen "
    "__builtin_strcmp __builtin_strncmp __builtin_strcpy __builtin_strncpy __builtin_strcat __builtin_strncat "
    "__builtin_strchr __builtin_strrchr __builtin_strstr __builtin___strcpy_chk".split()
)

WRITES = frozenset("snprintf vsnprintf sprintf vsprintf gets fgets fread".split())  # through the first argument only
# Functions that write through all arguments behind the format, and where those begin.
SCANS = {
    "scanf": 1, "__isoc99_scanf": 1, "sscanf": 2, "__isoc99_sscanf": 2, "fscanf": 2, "__isoc99_fscanf": 2
}  # fmt: skip


def strip(node: Node) -> Node:
    """An argument before the conversions to `void *` that the prototype asks for."""
    while node.kind is Kind.CONVERT and isinstance(node.type, Pointer):
        inner = node.children[0]
        if not isinstance(inner.type, Pointer | ArrayType):
            break
        if isinstance(inner.type, Pointer) and isinstance(inner.type.target, Void):
            break
        node = inner
    return node


def element_type(node: Node) -> CType:
    """What the pointer handed to a memory function points to, as its static type says."""
    t = strip(node).type
    t = t.target if isinstance(t, Pointer) else t
    while isinstance(t, ArrayType):
        t = t.element
    return t


def is_multiple(size: Node, unit: int) -> bool:
    """Whether a byte count is surely a multiple of `unit`."""
    while size.kind is Kind.CONVERT:
        size = size.children[0]
    if unit == 1:
        return True
    if size.kind is Kind.NUMBER:
        return unit > 0 and int(size.value) % unit == 0
    if size.kind is Kind.BINARY and size.op == "*":
        return any(is_multiple(child, unit) for child in size.children)
    if size.kind is Kind.BINARY and size.op in ("+", "-"):
        return all(is_multiple(child, unit) for child in size.children)
    return False


def copied_type(arguments: tuple[Node, ...]) -> CType | None:
    """The element type of a memcpy that copies whole elements of one type; None if it copies bytes."""
    target, source = element_type(arguments[0]), element_type(arguments[1])
    if target is source or (
        not isinstance(target, Record | Void)
        and not isinstance(source, Record | Void)
        and target.size == source.size
        and isinstance(target, Floating) == isinstance(source, Floating)
        and isinstance(target, Pointer) == isinstance(source, Pointer)
    ):
        if target.size and not isinstance(target, Void | FunctionType) and is_multiple(arguments[2], target.size):
            return target
    return None


class LibraryConstraints:
    """Places of variables and values, and what calls of functions without a body do with them."""

    def __init__(self, scan: Scan) -> None:
        self.scan = scan
        self.places = Places()
        self._variables: dict[Variable, Place] = {}
        self._lvalues: dict[Node, Place] = {}
        self._values: dict[Node, Place | None] = {}
        self._functions: dict[str, Place] = {}
        self._returns: dict[str, Place] = {}
        self._variadic: dict[str, Place] = {}
        self._current: Function | None = None
        self._track_integers = scan.integers_become_pointers

    # --- what lowering asks -------------------------------------------------------------------------------------------

    def of_variable(self, variable: Variable) -> Place:
        place = self._variables.get(variable)
        if place is None:
            place = self._variables[variable] = self.places.new(variable.name)
        return find(place)

    def of_return(self, function: Function) -> Place:
        place = self._returns.get(function.symbol)
        if place is None:
            place = self._returns[function.symbol] = self.places.new(f"{function.name}()")
        return find(place)

    def of_variadic(self, function: Function) -> Place:
        """The area where a variadic function's extra arguments stand."""
        place = self._variadic.get(function.symbol)
        if place is None:
            place = self._variadic[function.symbol] = self.places.new(f"{function.name}...")
        return find(place)

    def of_function(self, function: Function) -> Place:
        place = self._functions.get(function.symbol)
        if place is None:
            place = self._functions[function.symbol] = self.places.new(function.name)
            place.functions[function.symbol] = function
        return find(place)

    def of_lvalue(self, node: Node) -> Place:
        """The place an l-value lies in."""
        place = self._lvalues.get(node)
        if place is None:
            place = self._lvalues[node] = self._lvalue(node)
        return find(place)

    def of_value(self, node: Node) -> Place | None:
        """The place a value points to; None if it is no pointer."""
        if node in self._values:
            place = self._values[node]
        else:
            place = self._values[node] = self._value(node)
        return None if place is None else find(place)

    def pointed(self, node: Node) -> Place:
        """The place a pointer value points to; one of its own if nothing is known."""
        place = self.of_value(node)
        if place is None:
            place = self.places.new("external")
            place.external = True
            self._values[node] = place
        return place

    def _tracked(self, t: CType) -> bool:
        if isinstance(t, Pointer | ArrayType | FunctionType):
            return True
        return self._track_integers and isinstance(t, Integer) and t.size >= 4

    def _lvalue(self, node: Node) -> Place:
        raise NotImplementedError

    def _value(self, node: Node) -> Place | None:
        raise NotImplementedError

    # --- arguments of variable number ---------------------------------------------------------------------------------

    def va_cursor(self, node: Node) -> Place:
        """The place of the pointer inside a va_list."""
        t = node.type
        if isinstance(t, Pointer) and isinstance(t.target, Record):
            t = t.target
            place = self.pointed(node)
        elif isinstance(t, ArrayType):
            t = t.element
            place = self.of_lvalue(node)
        else:
            return self.of_lvalue(node) if node.kind in LVALUES else self.pointed(node)
        if isinstance(t, Record):
            for member in t.fields:
                if isinstance(member.type, Pointer):
                    sub = self.places.field(place, t, member.offset, member.name, member.type)
                    self.places.touch(sub, member.type)
                    return sub
        return place

    # --- calls --------------------------------------------------------------------------------------------------------

    def _external(self, function: Function, node: Node, arguments: tuple[Node, ...]) -> Place | None:
        name = function.name
        for argument in arguments:
            self.of_value(argument)
        result = self.places.new(name)
        if name in ("__builtin_va_start", "va_start", "__builtin_va_copy", "va_copy"):
            cursor = self.va_cursor(arguments[0])
            if name.endswith("start"):
                assert self._current is not None
                self.places.union(self.places.pointee(cursor), self.of_variadic(self._current))
            else:
                self.places.union(self.places.pointee(cursor), self.places.pointee(self.va_cursor(arguments[1])))
            return None
        if name in COPIES and len(arguments) >= 3:
            self._copy_memory(arguments)
        elif name in SETS and len(arguments) >= 3:
            self._set_memory(arguments)
        elif name.removeprefix("__builtin_") in SCANS:
            for argument in arguments[SCANS[name.removeprefix("__builtin_")] :]:
                t = element_type(argument)
                if isinstance(argument.type, Pointer) and isinstance(t, Integer | Floating | Pointer):
                    self.places.touch(self.pointed(argument), t)
        elif name in BYTES:
            for argument in arguments[: 1 if name in WRITES else None]:
                if isinstance(argument.type, Pointer):
                    self.places.access(self.pointed(argument), 1, "int")
        if name in RETURNS_FIRST and arguments:
            result.pointee = self.pointed(arguments[0])
            if name.endswith("realloc"):
                find(result.pointee).allocated = True
                find(result.pointee).zeroed = True  # copied as a whole
        elif self._tracked(node.type):
            fresh = self.places.new(f"{name}#{len(self.places.all)}")
            fresh.external = name not in ALLOCATES
            fresh.allocated = name in ALLOCATES
            fresh.zeroed = name.endswith("calloc")
            result.pointee = fresh
            if name in ("strdup",):
                self.places.access(fresh, 1, "int")
        return result

    def _copy_memory(self, arguments: tuple[Node, ...]) -> None:
        target, source = self.pointed(arguments[0]), self.pointed(arguments[1])
        t = copied_type(arguments)
        if t is not None:
            self.places.touch(target, t)
            self.places.touch(source, t)
            self.places.copy(target, source, t)
        else:
            for place in (target, source):
                self.places.access(place, 1, "int")
            self.places.union(self.places.pointee(target), self.places.pointee(source))

    def _set_memory(self, arguments: tuple[Node, ...]) -> None:
        target = self.pointed(arguments[0])
        t = element_type(arguments[0])
        if t.size and not isinstance(t, Void) and is_multiple(arguments[2], t.size):
            self.places.touch(target, t)
        else:
            self.places.access(target, 1, "int")
