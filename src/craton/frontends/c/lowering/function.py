"""The lowering of one function: who does what.

Here stands which collaborator lowers an expression or a statement of a kind, and which others each of them may ask.
Only expressions and statements know each other in circles, since C does: `Expressions` and `Statements` are told last
who lowers what, and everybody asks them.
"""

from __future__ import annotations

from craton.frontends.c.automaton.builder import Builder
from craton.frontends.c.automaton.context import Context, Signature
from craton.frontends.c.automaton.lvalue import Part
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.lowering.access import Access
from craton.frontends.c.lowering.allocated import allocated
from craton.frontends.c.lowering.assembly import InlineAssembly
from craton.frontends.c.lowering.assignments import Assignments
from craton.frontends.c.lowering.blocks import Blocks
from craton.frontends.c.lowering.branches import Branches
from craton.frontends.c.lowering.bulk import Bulk
from craton.frontends.c.lowering.calls import Calls
from craton.frontends.c.lowering.cells import Cells, MemoryCells
from craton.frontends.c.lowering.cleanups import Cleanups
from craton.frontends.c.lowering.conditions import Conditions
from craton.frontends.c.lowering.ending import Ending
from craton.frontends.c.lowering.exit import Exit
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.externals import Externals
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.heap import Heap
from craton.frontends.c.lowering.initialization import Initialization
from craton.frontends.c.lowering.jumps import Jumps
from craton.frontends.c.lowering.locals import Locals
from craton.frontends.c.lowering.loops import Loops
from craton.frontends.c.lowering.lvalues import Lvalues
from craton.frontends.c.lowering.operands import Operands
from craton.frontends.c.lowering.operators import Operators
from craton.frontends.c.lowering.relations import Relations
from craton.frontends.c.lowering.safety import Safety
from craton.frontends.c.lowering.simple_statements import SimpleStatements
from craton.frontends.c.lowering.statements import Statements
from craton.frontends.c.lowering.unknowns import Unknowns
from craton.frontends.c.lowering.variables import Variables
from craton.frontends.c.lowering.variadic import VariableArguments
from craton.frontends.c.memory.scopes import scopes
from craton.frontends.c.syntax.nodes import Function, Kind, Node
from craton.frontends.c.syntax.types import Record, leaves
from craton.program.cfa import UNREACH


class FunctionLowering:
    """Owns the collaborators of one function. Handlers of library functions get it as a `library.contract.Lowering`."""

    def __init__(self, frame: Frame, cells: Cells | None = None) -> None:
        self.frame = frame
        self.context: Context = frame.context
        self.function: Function = frame.function
        self.builder: Builder = frame.builder
        self.memory = frame.memory
        self._scopes = scopes(frame.context.facts, frame.function)
        self._make_memory(cells or MemoryCells(frame))
        self._make_expressions()
        self._make_statements()
        self._register_expressions()
        self._register_statements()

    def unsupported(self, construct: str, node: Node) -> Unsupported:
        return self.frame.unsupported(construct, node)

    def run(self) -> None:
        """The whole function: parameters, body, and the way to its exit."""
        function, builder = self.function, self.builder
        signature = self.context.signature(function)
        builder.origin = function.range
        for term in (*signature.flat, *signature.returns):
            builder.locals[term] = None
        if function.name in self.context.specification.error_functions:  # however it is called
            builder.error(UNREACH)
        begin = builder.mark()
        try:
            self._body(function, signature)
        except Unsupported as problem:
            builder.back_to(begin)
            self.blocks.open.clear()
            self.cleanups.due = ()
            builder.unmodelled(problem.construct, problem.where)
        self.exit.fall_off(signature.returns)
        self.jumps.dispatch()

    def _body(self, function: Function, signature: Signature) -> None:
        self.locals.begin_all()
        for parameter, group in zip(function.parameters, signature.parameters, strict=True):
            if self.context.scan.in_memory(parameter):
                target = self.variables.variable(parameter)
                self.access.store(target, group if isinstance(parameter.type, Record) else group[0])
            else:
                self.context.plain[parameter] = tuple(
                    Part(leaf.offset, leaf.type, term) for leaf, term in zip(leaves(parameter.type), group, strict=True)
                )
        for parameter in function.parameters:
            self.locals.measure(parameter.dimensions)
        assert function.body is not None
        self.statements.statement(function.body)

    # --- who may ask whom ---------------------------------------------------------------------------------------------

    def _make_memory(self, cells: Cells) -> None:
        frame = self.frame
        self.cells = cells
        self.safety = Safety(frame)
        self.access = Access(frame, cells, self.safety)
        self.bulk = Bulk(frame, cells, self.safety, self.access)
        known_blocks = allocated(frame, self.safety)
        self.heap = Heap(frame, self.safety, known_blocks)
        self.unknowns = Unknowns(frame)
        self.variables = Variables(frame, self._scopes.renewed)
        self.safety.object_of = self.variables.object_of
        self.ending = Ending(frame, cells, known_blocks, self.access, self.variables)

    def _make_expressions(self) -> None:
        frame, access = self.frame, self.access
        self.expressions = expressions = Expressions(frame)
        self.initialization = Initialization(frame, self.cells, access, self.bulk, expressions)
        self.locals = Locals(
            frame,
            self._scopes,
            cells=self.cells,
            safety=self.safety,
            access=access,
            bulk=self.bulk,
            heap=self.heap,
            unknowns=self.unknowns,
            expressions=expressions,
            variables=self.variables,
            initialization=self.initialization,
        )
        self.lvalues = Lvalues(frame, expressions, access, self.safety, self.variables, self.locals)
        self.relations = Relations(frame, self.variables, self.safety)
        self.conditions = Conditions(frame, expressions, self.relations)
        self.operators = Operators(frame, expressions, self.conditions, self.safety, self.relations)
        self.operands = Operands(frame, expressions, self.conditions, self.lvalues, self.safety)
        self.assignments = Assignments(frame, expressions, self.lvalues, self.operators, access, self.bulk, self.safety)
        self.variadic = VariableArguments(frame, self.cells, access, self.heap, expressions, self.lvalues)
        self.externals = Externals(frame, expressions, self.unknowns, self)
        self.calls = Calls(frame, expressions, self.unknowns, self.variadic, self.externals)

    def _make_statements(self) -> None:
        frame, found, expressions = self.frame, self._scopes, self.expressions
        self.exit = Exit(frame, self.locals, self.ending)
        self.blocks = Blocks(frame, self.safety, self.heap, self.variables, self.locals)
        self.cleanups = Cleanups(frame, expressions)
        self.statements = statements = Statements(frame, found, self.blocks, self.cleanups)
        self.simple = SimpleStatements(
            frame,
            found,
            statements=statements,
            expressions=expressions,
            unknowns=self.unknowns,
            locals_=self.locals,
            blocks=self.blocks,
            cleanups=self.cleanups,
            exit_=self.exit,
        )
        self.assembly = InlineAssembly(frame, statements, expressions, self.lvalues, self.access, self.unknowns)
        self.jumps = Jumps(frame, found, statements, expressions, self.blocks, self.cleanups)
        self.branches = Branches(frame, found, statements, expressions, self.conditions, self.blocks, self.jumps)
        self.loops = Loops(frame, statements, expressions, self.branches, self.jumps)

    # --- who lowers what ----------------------------------------------------------------------------------------------

    def _register_expressions(self) -> None:
        operands, lvalues, assignments = self.operands, self.lvalues, self.assignments
        self.expressions.register(
            {
                Kind.NUMBER: operands.number,
                Kind.FUNCTION: operands.function,
                Kind.ADDRESS: operands.address,
                Kind.CONVERT: operands.convert,
                Kind.SIZE_OF: operands.size_of,
                Kind.LABEL_ADDRESS: operands.label_address,
                Kind.VARIABLE: lvalues.read,
                Kind.MEMBER: lvalues.read,
                Kind.SUBSCRIPT: lvalues.read,
                Kind.DEREFERENCE: lvalues.read,
                Kind.STRING: lvalues.read,
                Kind.COMPOUND_LITERAL: lvalues.read,
                Kind.UNARY: self.operators.unary,
                Kind.BINARY: self.operators.binary,
                Kind.CONDITIONAL: self.conditions.conditional,
                Kind.ELVIS: self.conditions.elvis,
                Kind.ASSIGN: assignments.assign,
                Kind.COMPOUND_ASSIGN: assignments.compound_assign,
                Kind.STEP: assignments.step,
                Kind.INIT_LIST: self.initialization.init_list,
                Kind.CALL: self.calls.call,
                Kind.VA_ARG: self.variadic.next,
                Kind.STATEMENT_EXPRESSION: self.simple.statement_expression,
            },
            effects={Kind.ASSIGN: assignments.assign_only, Kind.STEP: assignments.step_only},
        )

    def _register_statements(self) -> None:
        simple, jumps, branches, loops = self.simple, self.jumps, self.branches, self.loops
        self.statements.register(
            {
                Kind.COMPOUND: simple.compound,
                Kind.DECLARATIONS: simple.compound,
                Kind.EXPRESSION: simple.expression,
                Kind.EMPTY: simple.empty,
                Kind.DECLARE: simple.declare,
                Kind.DECLARE_TYPE: simple.declare_type,
                Kind.RETURN: simple.return_,
                Kind.ASM: self.assembly.asm,
                Kind.UNMODELLED: simple.unmodelled,
                Kind.IF: branches.if_,
                Kind.SWITCH: branches.switch,
                Kind.CASE: branches.case,
                Kind.DEFAULT: branches.case,
                Kind.WHILE: loops.while_,
                Kind.DO: loops.do,
                Kind.FOR: loops.for_,
                Kind.LABEL: jumps.label,
                Kind.GOTO: jumps.goto,
                Kind.COMPUTED_GOTO: jumps.computed_goto,
                Kind.BREAK: jumps.break_,
                Kind.CONTINUE: jumps.continue_,
            }
        )
