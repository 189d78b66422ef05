"""How two pointers relate: equality, order and distance, where these depend on where objects lie.

Addresses that are equal in the model are equal. Different ones may be equal for the platform if one is dangling (its
block may have been given again), if one points behind its object, or if string literals were merged. What pointers
compare with that may have outlived a local is open. Order and distance are the model's inside of one object, and
anything between two. `docs/memory.md` says which cases are told apart.
"""

from __future__ import annotations

from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.safety import Safety
from craton.frontends.c.lowering.variables import Variables
from craton.frontends.c.memory.layout import Object
from craton.frontends.c.memory.places import Place, find, is_allocated, parts_of
from craton.frontends.c.syntax.expressions import constant_number
from craton.frontends.c.syntax.nodes import Node
from craton.logic import FALSE, TRUE, Term, and_, bv, bvsub, bvule, eq, not_, or_, select

_ONE_OBJECT = "pointers that are ordered or subtracted point into the same object"
_NO_ENDS = "pointers to the end of one object are not compared with pointers to the start of another"


class Relations:
    """Makes what the model says of two pointers as uncertain as it is."""

    def __init__(self, frame: Frame, variables: Variables, safety: Safety) -> None:
        self._frame = frame
        self._context = frame.context
        self._memory = frame.memory
        self._variables = variables
        self._safety = safety

    def compared(self, node: Node, a: Term, b: Term, found: Term) -> Term:
        """The outcome of a comparison of two addresses."""
        if any(constant_number(child) is not None for child in node.children):
            return found
        if node.op in ("==", "!="):
            if self._may_outlive(node):
                zero = self._memory.pointer(0)
                return self._unsure_where(not_(or_(eq(a, zero), eq(b, zero))), found)
            return self._unsure_where(self._may_be_equal(node, a, b), found)
        return self._unsure_where(self._may_be_apart(node, a, b), found)

    def distance(self, node: Node, a: Term, b: Term, found: Term) -> Term:
        """The distance of two pointers."""
        return self._unsure_where(self._may_be_apart(node, a, b), found)

    def _unsure_where(self, condition: Term, found: Term) -> Term:
        return found if condition is FALSE else self._frame.unsure(found, condition)

    # --- order and distance -------------------------------------------------------------------------------------------

    def _may_be_apart(self, node: Node, a: Term, b: Term) -> Term:
        """Where two pointers may point into different objects."""
        left, right = (self._context.points_to.of_value(child) for child in node.children)
        if left is None or right is None:
            return FALSE
        if find(left) is not find(right):
            return TRUE if self._is_occupied(left) and self._is_occupied(right) else FALSE
        for known in self._known(node):
            return not_(
                and_(_within(known, a, self._memory.pointer_width), _within(known, b, self._memory.pointer_width))
            )
        if not self._is_single(left):
            self._context.assume(_ONE_OBJECT)
        return FALSE

    # --- equality -----------------------------------------------------------------------------------------------------

    def _may_be_equal(self, node: Node, a: Term, b: Term) -> Term:
        """Where two different addresses of the model may be the same on a platform."""
        left, right = (self._context.points_to.of_value(child) for child in node.children)
        if left is None or right is None or not (self._is_occupied(left) and self._is_occupied(right)):
            return FALSE
        ways = [self._dangling(left, right, a, b), self._ends(node, left, right, a, b)]
        if self._context.facts.addresses.are_literals(left, right):
            ways.append(TRUE)
        zero = self._memory.pointer(0)
        possible = or_(*ways)
        return FALSE if possible is FALSE else and_(possible, not_(or_(eq(a, b), eq(a, zero), eq(b, zero))))

    def _dangling(self, left: Place, right: Place, a: Term, b: Term) -> Term:
        """One points into a freed block, and the other's may have been given since: blocks that were allocated at the
        same time lie apart.
        """
        memory = self._memory
        if not memory.keeps_freed or not (is_allocated(left) and is_allocated(right)):
            return FALSE
        given_again = eq(memory.given_again, bv(1, 1)) if memory.knows_reuse else TRUE
        return and_(given_again, self._is_freed(left, right, a, b))

    def _is_freed(self, left: Place, right: Place, a: Term, b: Term) -> Term:
        memory = self._memory
        if memory.safety:
            zero = memory.pointer(0)
            return or_(*(eq(select(memory.sizes, self._safety.object_number(p)), zero) for p in (a, b)))
        if memory.loses_blocks or any(find(place).moved or not find(place).allocated for place in (left, right)):
            return eq(memory.some_freed, bv(1, 1))  # pointers into the middle of blocks, or to what nobody frees
        return or_(*(eq(select(memory.freed, p), bv(1, 1)) for p in (a, b)))

    def _may_outlive(self, node: Node) -> bool:
        """Whether an operand may point to a local whose life has ended."""
        places = [self._context.points_to.of_value(child) for child in node.children]
        found = [find(place) for place in places if place is not None]
        local = any(part in self._context.facts.local_places for place in found for part in parts_of(place))
        return len(found) == 2 and local and any(place in self._context.outlived for place in found)

    def _ends(self, node: Node, left: Place, right: Place, a: Term, b: Term) -> Term:
        """One points behind the end of an object, the other to the next one."""
        left, right = find(left), find(right)
        if not left.moved and not right.moved:
            return FALSE
        if left is not right:
            return TRUE
        if self._is_single(left):
            return FALSE
        for known in self._known(node):
            width = self._memory.pointer_width
            return not_(and_(_within(known, a, width), _within(known, b, width)))
        self._context.assume(_NO_ENDS)
        return FALSE

    # --- objects ------------------------------------------------------------------------------------------------------

    def _known(self, node: Node) -> list[Object]:
        """Objects that the operands surely point into, or behind."""
        found = (self._variables.object_pointed(child) for child in node.children)
        return [known for known in found if known is not None]

    def _is_occupied(self, place: Place) -> bool:
        return self._context.facts.addresses.is_occupied(place)

    def _is_single(self, place: Place) -> bool:
        """Whether one object lies there, and no other."""
        if self._context.facts.addresses.are_literals(place, place):
            return False
        return bool(self._context.facts.sole_regions(place))


def _within(known: Object, address: Term, width: int) -> Term:
    """Whether an address is one of the object, or that behind its end."""
    return bvule(bvsub(address, known.address), bv(known.size, width))
