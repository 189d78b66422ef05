"""What all that lowers one function shares."""

from __future__ import annotations

from craton.frontends.c.automaton.arithmetic import is_signed, resize
from craton.frontends.c.automaton.builder import Builder
from craton.frontends.c.automaton.context import Context
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.lowering.purity import Purity
from craton.frontends.c.memory.layout import Memory
from craton.frontends.c.syntax.nodes import Function, Node, Storage
from craton.frontends.c.syntax.types import ArrayType, CType
from craton.logic import Term, bvmul
from craton.program.origin import SourceRange


class Frame:
    """The function, its automaton so far, what the program has; and the numbers that its types and labels get."""

    def __init__(self, context: Context, function: Function, builder: Builder, owns: Storage = Storage.LOCAL) -> None:
        self.context = context
        self.function = function
        self.builder = builder
        self.owns = owns  # the storage of variables that begin to live where the function declares them
        self.memory: Memory = context.memory
        self.purity = Purity(context.specification)
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
