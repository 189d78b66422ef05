"""What all that lowers one function shares."""

from __future__ import annotations

from craton.frontends.c.automaton.arithmetic import convert, is_signed, resize
from craton.frontends.c.automaton.builder import Builder
from craton.frontends.c.automaton.context import Context
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.lowering.purity import Purity
from craton.frontends.c.lowering.regions import Regions
from craton.frontends.c.memory.addresses import INVENTED
from craton.frontends.c.memory.layout import Memory
from craton.frontends.c.syntax.nodes import Function, Node, Storage
from craton.frontends.c.syntax.types import ArrayType, CType, Floating, Integer
from craton.frontends.c.syntax.unknown_functions import UnknownFunctions
from craton.logic import BOOL, FALSE, TRUE, BitVec, Float, Term, and_, bv, bvmul, eq, fp_from_bits, ite, not_, or_, xor
from craton.program.cfa import ADDRESSES, Reach
from craton.program.origin import SourceRange
from craton.program.statements import Doubt


class Frame:
    """The function, its automaton so far, what the program has; and the numbers that its types and labels get."""

    def __init__(self, context: Context, function: Function, builder: Builder, owns: Storage = Storage.LOCAL) -> None:
        self.context = context
        self.function = function
        self.builder = builder
        self.owns = owns  # the storage of variables that begin to live where the function declares them
        self.memory: Memory = context.memory
        self.purity = Purity(context.specification, context.facts.addresses)
        self.regions = Regions(context.touches, context.specification)
        self.lengths: dict[ArrayType, Term] = {}  # of variable-length arrays

    # --- the text -----------------------------------------------------------------------------------------------------

    def range(self, node: Node) -> SourceRange | None:
        if node.range is None:
            return None
        return self.context.program.units[self.function.unit].source_range(node.range)

    def at(self, node: Node) -> None:
        """Edges come from this node from now on."""
        self.builder.origin = self.range(node) or self.builder.origin

    def unsupported(self, construct: str, node: Node) -> Unsupported:
        return Unsupported(construct, self.range(node) or self.builder.origin)

    # --- where objects lie --------------------------------------------------------------------------------------------

    def fail_if(self, told: str | None, node: Node, where: Term = TRUE) -> None:
        """The operation at `node` cannot be modelled without knowing where objects lie, where the condition holds."""
        if told is INVENTED and self.context.unknown_functions is UnknownFunctions.PURE:
            # Text from CIL reaches members this way, also of objects that the rules of collections leave to nobody.
            self.context.assume("pointers that are made from numbers do not point to the program's own objects")
        elif told is not None:
            self.fail_where(where, told, node)

    def fail_where(self, tells: Term, told: str, node: Node) -> None:
        """The same where the condition holds. An error behind it counts if the compiled program reaches it."""
        builder = self.builder
        if builder.here is None or tells is FALSE:
            return
        self.context.approximated[ADDRESSES] = None
        outer = builder.origin
        self.at(node)
        # Runs on zeros go on.
        told = f"{told} (addresses are not known)"
        builder.unmodelled_if(and_(tells, eq(self._choice(1), bv(1, 1))), told, reach=Reach.MEMORY)
        builder.origin = outer

    def unsure(self, value: Term, where: Term = TRUE) -> Term:
        """A scalar or a Bool that depends on where objects lie: what our layout gives, or anything. A counterexample
        that uses it must be confirmed by the compiled program.
        """
        known = or_(not_(where), eq(self._choice(1), bv(0, 1)))
        if value.sort is BOOL:
            return xor(value, not_(known))
        if isinstance(value.sort, Float):
            return ite(known, value, fp_from_bits(value.sort, self._choice(value.sort.width)))
        assert isinstance(value.sort, BitVec)
        return ite(known, value, self._choice(value.sort.width))

    def _choice(self, width: int) -> Term:
        self.context.approximated[ADDRESSES] = None
        choice = self.builder.temporary(BitVec(width))
        self.builder.havoc(choice, source=Doubt())
        return choice

    def converted(self, value: Term, source: CType, target: CType) -> Term:
        """A scalar as another scalar type. What a float becomes that does not fit into an integer is undefined in C, so
        compilers may compute it in advance as they like.
        """
        if isinstance(source, Floating) and isinstance(target, Integer) and not target.boolean and not value.is_value:
            self.context.assume("floats that do not fit into an integer are converted by the processor (x86)")
        return convert(value, source, target)

    # --- sizes --------------------------------------------------------------------------------------------------------

    def size_of(self, t: CType) -> Term:
        """sizeof as a term: the size of a variable-length array is computed."""
        if isinstance(t, ArrayType):
            count = self.lengths.get(t)
            if count is not None:
                return bvmul(count, self.size_of(t.element))
            if t.variable:  # a jump has passed the declaration, or it stands where nobody looks
                raise Unsupported(f"the size of {t}, which is not known here,", self.builder.origin)
            return bvmul(self.memory.pointer(t.count or 0), self.size_of(t.element))
        return self.memory.pointer(t.size)

    def scaled(self, index: Term, index_type: CType, element: CType) -> Term:
        """An index as a number of bytes."""
        wide = resize(index, self.memory.pointer_width, signed=is_signed(index_type))
        return bvmul(wide, self.size_of(element))
