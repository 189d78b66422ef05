"""Functions without a body that Craton knows: memory, control, builtins; `library_math`, `library_strings` add theirs.

A handler gets the lowering, the call and its arguments; it returns the value, `()` for void, or None to be treated as
unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from craton.frontends.c.automaton.arithmetic import is_signed, number, resize, width_of
from craton.frontends.c.lowering.access import Lvalue, Value
from craton.frontends.c.memory.library_calls import copied_type, element_type, is_multiple, strip
from craton.frontends.c.memory.places import Place, find
from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.types import CType, Integer, Pointer, Record, Void
from craton.logic import (
    FALSE,
    Term,
    bv,
    bvadd,
    bvmul,
    bvneg,
    bvslt,
    bvsub,
    bvult,
    bvumulo,
    bvxor,
    concat,
    eq,
    extract,
    ite,
    not_,
    sign_extend,
    zero_extend,
)

if TYPE_CHECKING:
    from craton.frontends.c.lowering.calls import Calls

Handler = Callable[["Calls", Node, tuple[Node, ...]], Value | None]
HANDLERS: dict[str, Handler] = {}


def models(names: str) -> Callable[[Handler], Handler]:
    """Registers a handler under names and their `__builtin_` forms."""

    def register(handler: Handler) -> Handler:
        for name in names.split():
            HANDLERS[name] = handler
            HANDLERS.setdefault(f"__builtin_{name}", handler)
        return handler

    return register


def builtins(names: str) -> Callable[[Handler], Handler]:
    """Registers a handler under the `__builtin_` forms only."""

    def register(handler: Handler) -> Handler:
        for name in names.split():
            HANDLERS[f"__builtin_{name}"] = handler
        return handler

    return register


def size_argument(lower: Calls, node: Node) -> Term:
    """A size_t argument in the width of addresses."""
    return resize(lower.scalar(node), lower.context.pointer_width, signed=is_signed(node.type))


def pointer_lvalue(lower: Calls, node: Node) -> Lvalue:
    """What a pointer argument points to, element by element."""
    address = lower.builder.save(lower.scalar(node))
    place = lower.context.points_to.pointed(node)
    return Lvalue(element_type(node), None, 0, address, place)


# --- control ----------------------------------------------------------------------------------------------------------


@models("__VERIFIER_assume")
def _assume(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    lower.builder.assume(lower.condition(arguments[0]))
    return ()


@models("abort _Exit __builtin_trap")
def _abort(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    lower.builder.stop()
    return ()


@models("exit _exit quick_exit")
def _exit(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    for argument in arguments:
        lower.value(argument)
    lower.at_exit()
    lower.builder.stop()
    return ()


@builtins("unreachable")
def _unreachable(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    lower.builder.assume(FALSE)
    return ()


@builtins("expect expect_with_probability")
def _expect(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.value(arguments[0])
    lower.effect(arguments[1])
    return value


@models("__builtin_assume")
def _builtin_assume(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    return ()


@models("__builtin_constant_p")
def _constant_p(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    argument = arguments[0]
    while argument.kind is Kind.CONVERT:
        argument = argument.children[0]
    return bv(1 if argument.kind is Kind.NUMBER else 0, node.type.size * 8)


@models("__builtin_object_size __builtin_dynamic_object_size")
def _object_size(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    which = arguments[1].value if arguments[1].kind is Kind.NUMBER else 0
    return bv(0 if which in (2, 3) else -1, node.type.size * 8)


@models("__builtin_prefetch __VERIFIER_atomic_begin __VERIFIER_atomic_end fflush __builtin___clear_cache")
def _nothing(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    for argument in arguments:
        lower.effect(argument)
    if isinstance(node.type, Void):
        return ()
    return bv(0, node.type.size * 8)


@models("__builtin_return_address __builtin_frame_address")
def _some_address(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    return lower.arbitrary(node.type)


@models("printf fprintf puts putchar fputs fputc putc perror vprintf vfprintf printk __printf_chk __fprintf_chk")
def _print(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    """Output is not modelled; the number of characters written is arbitrary."""
    for argument in arguments:
        lower.effect(argument)
    return lower.arbitrary(node.type)


@models(
    "setjmp _setjmp sigsetjmp __sigsetjmp longjmp _longjmp siglongjmp pthread_create thrd_create fork vfork clone "
    "signal sigaction atexit on_exit qsort bsearch system execve makecontext swapcontext"
)
def _beyond(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    """Control that leaves the function or runs beside it, or comes back through a pointer."""
    from craton.frontends.c.memory.scan import direct_callee

    function = direct_callee(node)
    raise lower.unsupported(f"a call of {function.name if function is not None else 'this function'}", node)


# --- allocation -------------------------------------------------------------------------------------------------------


@models("malloc valloc kmalloc")
def _malloc(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    size = size_argument(lower, arguments[0])
    for argument in arguments[1:]:
        lower.effect(argument)
    return lower.allocate(size, counted=True)


@models("alloca __builtin_alloca_with_align")
def _alloca(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    if lower.context.specification.deref:
        lower.context.assume("memory that alloca gave stays valid when its function has returned")
    return lower.allocate(size_argument(lower, arguments[0]), counted=False)


@models("memalign aligned_alloc")
def _aligned_alloc(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    lower.effect(arguments[0])
    return lower.allocate(size_argument(lower, arguments[1]), counted=True)


@models("calloc")
def _calloc(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    count, each = (size_argument(lower, argument) for argument in arguments)
    lower.builder.assume(not_(bvumulo(count, each)))
    size = lower.builder.save(bvmul(count, each))
    address = lower.allocate(size, counted=True)
    place = lower.context.points_to.pointed(node)
    _zero_place(lower, place, address, size)
    return address


def _zero_place(lower: Calls, place: Place, address: Term, size: Term) -> None:
    """Zero in every array that holds a part of the place: fields as their struct lays them out."""
    element = _element_of(lower, place)
    if isinstance(element, Record):
        lower.context.points_to.places.touch(place, element)
    if element is not None:
        lower.fill(Lvalue(element, None, 0, address, place), element, size, 0)


def _scalar_like(size: int, kind: str, lower: Calls) -> CType:
    from craton.frontends.c.memory.layout import FLOAT_TYPES
    from craton.frontends.c.syntax.types import unit_type

    if kind == "float" and size in FLOAT_TYPES:
        return FLOAT_TYPES[size]
    return unit_type(size)


@models("realloc")
def _realloc(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    """New memory, with the contents of the old up to the smaller size; behind it new memory is arbitrary."""
    old = lower.builder.save(lower.scalar(arguments[0]))
    size = lower.builder.save(size_argument(lower, arguments[1]))
    place = lower.context.points_to.pointed(arguments[0])
    builder = lower.builder
    before = builder.save(lower.allocated_size(old))
    new = lower.allocate(size, counted=True)
    copy, after = builder.new(), builder.new()
    builder.fork(eq(old, lower.memory.pointer(0)), after, copy)
    builder.enter(copy)
    element = _element_of(lower, place)
    if element is not None:
        target, source = (Lvalue(element, None, 0, address, place) for address in (new, old))
        lower.copy_elements(target, source, element, builder.save(ite(bvult(before, size), before, size)))
    lower.free(old)
    builder.go(after)
    builder.enter(after)
    return new


def _element_of(lower: Calls, place: Place) -> CType | None:
    """What memory of a place consists of; None if nobody looks at it."""
    place = find(place)
    if place.collapsed:
        return lower.context.char_type
    if place.record is not None:
        return place.record
    if place.scalars:
        (unit, kind), *_ = place.scalars
        return _scalar_like(unit, kind, lower)
    return None


@models("free kfree cfree")
def _free(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    lower.free(lower.builder.save(lower.scalar(arguments[0])))
    return ()


# --- blocks of memory -------------------------------------------------------------------------------------------------


@models("memset __memset __builtin___memset_chk")
def _memset(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    target = pointer_lvalue(lower, arguments[0])
    byte = lower.scalar(arguments[1])
    size = lower.builder.save(size_argument(lower, arguments[2]))
    assert target.address is not None
    lower.check_block(target.address, size)
    t = element_type(arguments[0])
    typed = bool(t.size) and not isinstance(t, Void) and is_multiple(arguments[2], t.size)
    if not typed:
        t = lower.context.char_type
    if byte.is_value:
        lower.fill(target, t, size, byte.payload & 255)
    elif t.size == 1 or not typed:
        lower.fill_variable(target, size, extract(7, 0, byte))
    else:
        raise lower.unsupported("memset with a byte that is not constant over larger elements", node)
    return target.address


@models("memcpy __memcpy __builtin___memcpy_chk")
def _memcpy(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    target, source, t, size = _copy_arguments(lower, arguments)
    lower.copy_elements(target, source, t, size)
    assert target.address is not None
    return target.address


@models("memmove __builtin___memmove_chk")
def _memmove(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    target, source, t, size = _copy_arguments(lower, arguments)
    lower.move_elements(target, source, t, size)
    assert target.address is not None
    return target.address


def _copy_arguments(lower: Calls, arguments: tuple[Node, ...]) -> tuple[Lvalue, Lvalue, CType, Term]:
    target, source = pointer_lvalue(lower, arguments[0]), pointer_lvalue(lower, arguments[1])
    size = lower.builder.save(size_argument(lower, arguments[2]))
    for side in (target, source):
        assert side.address is not None
        lower.check_block(side.address, size)
    return target, source, copied_type(arguments) or lower.context.char_type, size


# --- integers ---------------------------------------------------------------------------------------------------------


@models("abs labs llabs imaxabs")
def _abs(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    from craton.logic import bvnego
    from craton.program.cfa import OVERFLOW

    value = lower.builder.save(lower.scalar(arguments[0]))
    if lower.context.specification.overflow:
        lower.builder.check(not_(bvnego(value)), OVERFLOW)
    return ite(bvslt(value, bv(0, width_of(value))), bvneg(value), value)


@builtins("bswap16 bswap32 bswap64 bswap128")
def _bswap(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.scalar(arguments[0])
    width = node.type.size * 8
    value = resize(value, width, signed=False)
    return concat(*(extract(8 * i + 7, 8 * i, value) for i in range(width // 8)))


@builtins("popcount popcountl popcountll")
def _popcount(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.scalar(arguments[0])
    bits = [zero_extend(31, extract(i, i, value)) for i in range(width_of(value))]
    return bvadd(*bits)


@builtins("parity parityl parityll")
def _parity(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.scalar(arguments[0])
    return zero_extend(31, bvxor(*(extract(i, i, value) for i in range(width_of(value)))))


@builtins("ctz ctzl ctzll")
def _ctz(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    """Undefined for zero, where the execution stops."""
    value = lower.scalar(arguments[0])
    width = width_of(value)
    lower.builder.assume(not_(eq(value, bv(0, width))))
    return _first_bit(value, range(width), lambda i: i)


@builtins("clz clzl clzll")
def _clz(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.scalar(arguments[0])
    width = width_of(value)
    lower.builder.assume(not_(eq(value, bv(0, width))))
    return _first_bit(value, range(width - 1, -1, -1), lambda i: width - 1 - i)


@models("ffs ffsl ffsll")
def _ffs(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.scalar(arguments[0])
    width = width_of(value)
    return ite(eq(value, bv(0, width)), bv(0, 32), _first_bit(value, range(width), lambda i: i + 1))


def _first_bit(value: Term, order: range, result: Callable[[int], int]) -> Term:
    term = bv(0, 32)
    for i in reversed(order):
        term = ite(eq(extract(i, i, value), bv(1, 1)), bv(result(i), 32), term)
    return term


def _overflow_handler(op: str) -> Handler:
    """`__builtin_add_overflow(a, b, &r)`: the exact result, cut to *r, and whether it was cut."""

    def handler(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
        a, b = lower.scalar(arguments[0]), lower.scalar(arguments[1])
        target = pointer_lvalue(lower, arguments[2])
        t = strip(arguments[2]).type
        t = t.target if isinstance(t, Pointer) else t
        assert isinstance(t, Integer)
        wide = 2 * max(width_of(a), width_of(b), t.width) + 2
        x = resize(a, wide, signed=is_signed(arguments[0].type))
        y = resize(b, wide, signed=is_signed(arguments[1].type))
        exact = bvadd(x, y) if op == "add" else bvsub(x, y) if op == "sub" else bvmul(x, y)
        result = lower.builder.save(extract(t.width - 1, 0, exact))
        extend = sign_extend if t.signed else zero_extend
        lost = lower.builder.save(number(not_(eq(extend(wide - t.width, result), exact)), node.type.size * 8))
        lower.store(Lvalue(t, None, 0, target.address, target.place), result)
        return lost

    return handler


for _op in ("add", "sub", "mul"):
    for _prefix in ("", "s", "sl", "sll", "u", "ul", "ull"):
        _kind = "add" if _op == "add" else _op
        HANDLERS[f"__builtin_{_prefix}{_kind}_overflow" if not _prefix else f"__builtin_{_prefix}{_op}_overflow"] = (
            _overflow_handler(_op)
        )
        if _prefix.startswith("s"):
            HANDLERS[f"__builtin_s{_op}{_prefix[1:]}_overflow"] = _overflow_handler(_op)
            HANDLERS[f"__builtin_u{_op}{_prefix[1:]}_overflow"] = _overflow_handler(_op)


# --- variable arguments -----------------------------------------------------------------------------------------------


@builtins("va_start")
def _va_start(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    cursor = lower.va_cursor(arguments[0])
    signature = lower.context.signature(lower.function)
    if signature.variadic is None:
        raise lower.unsupported("va_start in a function without variable arguments", node)
    lower.store(cursor, signature.variadic)
    return ()


@builtins("va_end")
def _va_end(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    return ()


@builtins("va_copy")
def _va_copy(lower: Calls, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.load(lower.va_cursor(arguments[1]))
    lower.store(lower.va_cursor(arguments[0]), value)
    return ()


def unknown_bytes(lower: Calls, pointer: Node, count: Term) -> None:
    """An unknown function wrote so many bytes there."""
    target = pointer_lvalue(lower, pointer)
    character = lower.context.char_type
    for offset in lower.builder.counted(count):
        value = lower.arbitrary(character)
        assert isinstance(value, Term)
        lower.set_byte(target, offset, value)


def unknown_output(lower: Calls, pointer: Node) -> None:
    """An unknown function wrote something there."""
    t = element_type(pointer)
    target = pointer_lvalue(lower, pointer)
    if isinstance(t, Record | Void) or not t.size:
        lower.context.assume(f"nothing is written through the {t} that an input function gets")
        return
    lower.store(Lvalue(t, None, 0, target.address, target.place), lower.arbitrary(t))


from craton.frontends.c.library import (  # noqa: E402  (they register themselves)
    math,  # noqa: F401
    strings,  # noqa: F401
    text,  # noqa: F401
)
