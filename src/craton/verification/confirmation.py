"""From an engine's answer to a verdict: nobody is believed.

A proof is checked by solvers that did not find it, on the bit-precise program. A counterexample is run again by the
interpreter on the whole program, and then in the compiled program. An answer of a view counts as far as it is one of
the bit-precise program, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from craton.configuration.stages import Stage
from craton.engines.contract import Budget, Lemma, Safe, Unsafe
from craton.evidence.checker import Confirmed, Flaw, check_annotation, others
from craton.evidence.conditions import Annotation
from craton.evidence.exhaustion import Exhaustion, check_exhaustion
from craton.evidence.replay import replay
from craton.frontends.programs import Request, is_boogie
from craton.logic import TRUE, Term, and_, functions, size
from craton.processes.limits import least
from craton.processes.running_time import running_time
from craton.program.blocks import BlockSize
from craton.program.cfa import Edge, Location, Program, Unmodelled
from craton.program.transformation import Transformed, unchanged
from craton.program.unfolding import AllRuns
from craton.traces.execution import Execution, execution
from craton.traces.trace import Trace
from craton.verdicts.counterexample import NotCompiled, NotReached, Reached, Replay
from craton.verdicts.proof import Proof
from craton.verdicts.provenance import Provenance
from craton.verdicts.text import Limit
from craton.verdicts.verdict import Proved, Unknown, Violated, violated
from craton.verification.context import Context
from craton.verification.isolation import NotDone, within
from craton.verification.knowledge import Knowledge
from craton.verification.repeated_runs import repeated_run
from craton.verification.stage_programs import StagePrograms

if TYPE_CHECKING:
    from craton.program.acceleration import AcceleratedProgram
    from craton.views import View

INVARIANTS_SECONDS = 1.0  # where there is another proof beside them
MOST_TO_READ = 300  # nodes
PLAINER_SECONDS = 0.3  # for what only people need
FACTS_SECONDS = 2.0  # for what helps a proof of a view
_NO_EXECUTION = "a counterexample was found, but no execution fits its model"


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Confirms the answers of a stage, whose engine ran on the program in blocks of a size; with what others know."""

    context: Context
    programs: StagePrograms
    stage: Stage
    size: BlockSize
    knowledge: Knowledge | None = None

    @property
    def view(self) -> View | None:
        """That the engine saw the program through; None for the bits themselves."""
        return self.programs.view(self.stage)

    @property
    def encoded(self) -> Transformed:
        """What the engine ran on."""
        return self.programs.blocks(self.stage, self.size)

    @property
    def _rounds(self) -> AcceleratedProgram | None:
        """The accelerated loops that the engine saw, if it did."""
        return None if self.stage.loops == "exact" else self.programs.accelerated(self.stage)

    # --- proofs -------------------------------------------------------------------------------------------------------

    def proof(self, found: Safe) -> Proved | Unknown:
        verdict = self._proof(found)
        return self._plainer(verdict.proof) or verdict if isinstance(verdict, Proved) else verdict

    def _plainer(self, proof: Proof) -> Proved | None:
        """The proof for people, where it is long and there is a plain one; that is checked like any other."""
        from craton.engines import plain

        if not self.context.confirm or proof.k > 1 or not plain.is_long(proof.invariants):
            return None
        with self.context.statistics.spending("a plainer proof"):
            left = least(self.context.time_to_confirm, PLAINER_SECONDS)
            budget = Budget(left)
            found = within(left, lambda report: plain.plain_proof(proof.program, proof.invariants, budget))
        if found is None or isinstance(found, NotDone):
            return None
        answer = Safe(found, tuple(dict.fromkeys((*proof.found_by.solvers, plain.SOLVER))))
        verdict = self._checked(proof.program, proof.blocks, answer, PLAINER_SECONDS)
        return verdict if isinstance(verdict, Proved) else None

    def _proof(self, found: Safe) -> Proved | Unknown:
        view = self.view
        if view is not None:
            return self._proof_of_view(view, found)
        if self.stage.arrays != "exact" or self.stage.loops != "exact":
            return self._shown(found)
        program = self.encoded.program
        if not self.context.confirm:
            unchecked = Proof(program, self.size, found.invariants, self._provenance(found), "", 0, k=found.k)
            return Proved(unchecked, confirmed=False)
        if found.runs is not None:
            return self._proof_by_all_runs(program, found, found.runs)
        return self._checked(program, self.size, found)

    def _proof_by_all_runs(self, program: Program, found: Safe, runs: AllRuns) -> Proved | Unknown:
        """Invariants say more to the reader, so they are checked first, but for a short time; those that nobody would
        read come last.
        """
        shown = Proof(program, self.size, {}, self._provenance(found), "", 0, runs=runs)
        claimed, checkers = Exhaustion(program, runs), others(found.by)

        def by_invariants() -> Proved | Unknown:
            return self._checked(program, self.size, found, INVARIANTS_SECONDS)

        def by_runs() -> Proved | Unknown:
            return self._confirmed(shown, lambda left: check_exhaustion(claimed, checkers, left))

        readable = sum(size(term, MOST_TO_READ) for term in found.invariants.values()) <= MOST_TO_READ
        first, second = (by_invariants, by_runs) if readable else (by_runs, by_invariants)
        verdict = first()
        return verdict if isinstance(verdict, Proved) else second()

    def _proof_of_view(self, view: View, found: Safe) -> Proved | Unknown:
        """A proof found in a view counts only if it is one of the bit-precise program."""
        from craton.engines import houdini

        context = self.context
        blocks = self.programs.blocks(Stage(arrays=self.stage.arrays, loops=self.stage.loops), None).program
        with context.statistics.spending("views"):
            translated = _in_bits(found.invariants, blocks, view)
        verdict = self._shown(replace(found, invariants=translated), self._half_of_patience)
        if isinstance(verdict, Proved):
            return verdict
        with context.statistics.spending("facts"):
            helped = self._with_knowledge(replace(found, invariants=_with_facts(translated, blocks)))
        if helped.invariants != translated:
            verdict = self._shown(helped, self._half_of_patience)
            if isinstance(verdict, Proved):
                return verdict
        with context.statistics.spending("repairing a proof"):
            left = context.time_for_proof
            better = within(left, lambda report: houdini.repaired(blocks, helped.invariants, Budget(left)))
        if isinstance(better, NotDone):
            return verdict
        repaired = self._shown(Safe(better, (houdini.SOLVER,), found.k))
        if not isinstance(repaired, Proved) and self._shares:
            # What of a proof is inductive in bits, though it proves nothing by itself, may help others.
            self._shares.learn(Lemma(better, (houdini.SOLVER,)))
        return repaired

    @property
    def _half_of_patience(self) -> float | None:
        """Where there are other ways to come to a proof in bits."""
        left = self.context.patience.left
        return None if left is None else left / 2

    @property
    def _shares(self) -> Knowledge | None:
        """What others know of the program, if the stage's invariants in bits speak of its variables."""
        return self.knowledge if self.stage.arrays == self.stage.loops == "exact" else None

    def _with_knowledge(self, found: Safe) -> Safe:
        return found if self._shares is None else self._shares.added_to(found)

    def _shown(self, found: Safe, seconds: float | None = None) -> Proved | Unknown:
        """Invariants in bits, checked on the program in large blocks; those of cells are ones of all elements there,
        and those of accelerated loops ones of all rounds.
        """
        arrays = self.stage.arrays
        program = self.programs.blocks(Stage(arrays=arrays if arrays == "prefixes" else "exact"), None).program
        cells, rounds = self.programs.cells, self._rounds
        there = frozenset(program.main.locations)
        invariants: Mapping[Location, Term] = {x: t for x, t in found.invariants.items() if x in there}
        if rounds is not None:
            invariants = rounds.lifted(invariants)
        if arrays == "cells" and cells is not None:
            invariants = cells.lifted(invariants)
        return self._checked(program, None, replace(found, invariants=invariants), seconds)

    def _checked(
        self, program: Program, size: BlockSize, found: Safe, seconds: float | None = None
    ) -> Proved | Unknown:
        annotation = Annotation(program, found.invariants, k=found.k)
        checkers = others(found.by)
        histories = self.stage.arrays == "prefixes"
        proof = Proof(program, size, found.invariants, self._provenance(found), "", 0, k=found.k, histories=histories)
        return self._confirmed(proof, lambda left: check_annotation(annotation, checkers, left), seconds)

    def _confirmed(
        self, proof: Proof, check: Callable[[float | None], Flaw | Confirmed], seconds: float | None = None
    ) -> Proved | Unknown:
        """What a check makes of a proof within so many seconds, or all there are."""
        begun = running_time()
        with self.context.statistics.spending("checking the proof"):
            left = least(self.context.time_for_proof, seconds)
            checked = within(left, lambda report: check(left))
        match checked:
            case Confirmed():
                by = " and ".join(checked.by) or "simplification alone"
                return Proved(replace(proof, checked_by=by, seconds=running_time() - begun))
            case Flaw(decided=True):
                return Unknown(f"a proof was found but not confirmed: {checked.problem}")
            case Flaw():
                self.context.patience.note_undecided(hurried=seconds is not None)
                return Unknown(f"evidence incomplete: a proof was found, but {checked.problem}")
            case NotDone(reason, limit):
                self.context.patience.note_undecided(hurried=seconds is not None)
                return Unknown(f"evidence incomplete: a proof was found, but {reason}", limit)

    def _provenance(self, found: Safe) -> Provenance:
        stage = self.stage
        return Provenance(stage.engine, stage.refiner, stage.encoding, stage.floats, found.by)

    # --- counterexamples ----------------------------------------------------------------------------------------------

    def counterexample(self, found: Unsafe) -> Violated | Unknown:
        if self.stage.arrays == "cells":
            return Unknown("the view of single elements of arrays is too coarse: there an error can be reached")
        run = execution(found.trace, found.model)
        if run is None:
            return Unknown(_NO_EXECUTION)
        view = self.view
        return self._replayed(run, self.encoded) if view is None else self._run_of_view(view, run)

    def _run_of_view(self, view: View, run: Execution) -> Violated | Unknown:
        """A counterexample found in a view counts only if its path is feasible in bits."""
        from craton.traces.feasibility import Infeasible, NotDecided, feasible

        back = view.transformed.then(self.encoded)
        trace = Trace(tuple(old for step in run.steps for old in back.original_edges(step.edge)))
        with self.context.statistics.spending("counterexamples in bits"):
            left = self.context.time_for_proof
            found = within(left, lambda report: feasible(trace, left))
        if isinstance(found, NotDone | NotDecided):
            self.context.patience.note_undecided(hurried=False)
        match found:
            case NotDone(reason, limit):
                return Unknown(f"a counterexample of the view was found, but in bits: {reason}", limit)
            case NotDecided(reason):
                return Unknown(f"a counterexample of the view was found, but in bits it is not decided: {reason}")
            case Infeasible():
                return Unknown("the counterexample of the view is not one of the bit-precise program")
        in_bits = execution(trace, found.model)
        if in_bits is None:
            return Unknown(_NO_EXECUTION)
        return self._replayed(
            in_bits, unchanged(self.programs.small.program if self._rounds is None else self._rounds.program)
        )

    def _replayed(self, run: Execution, later: Transformed) -> Violated | Unknown:
        rounds, whole = self._rounds, self.programs.whole
        if rounds is None:
            return replayed(self.context, whole, run, self.programs.small.then(later))
        return repeated(self.context, whole, run, self.programs.small.then(rounds.transformed).then(later))


def replayed(context: Context, whole: Program, run: Execution, back: Transformed) -> Violated | Unknown:
    """What a run shows when it is repeated on the whole program, and then compiled. `back` leads from the edges of the
    run to those of the whole program.
    """
    with context.statistics.spending("replay"):
        found = replay(whole, run, back)
    if found is None:
        return Unknown("a counterexample was found, but its replay reaches no error")
    reached = whole.errors[found.location]
    if isinstance(reached, Unmodelled):
        return Unknown(reached.sentence, construct=reached)
    loose = _over_approximated_function(found.edges, whole)
    if loose:
        return Unknown(f"the counterexample found uses {loose}, which stands for any function")
    return confirmed_violation(context, violated(found, whole), whole)


def repeated(context: Context, whole: Program, run: Execution, back: Transformed) -> Violated | Unknown:
    """What the inputs of a run over accelerated loops show: the rounds are gone by the interpreter if they are few, and
    by the compiled program, whose word it takes if they are many.
    """
    reached = whole.errors[back.original_location(run.steps[-1].edge.target)]
    if isinstance(reached, Unmodelled):
        return Unknown(reached.sentence, construct=reached)
    if whole.over_approximated:
        return Unknown(f"the counterexample found may use {whole.over_approximated[0]}, which stands for any function")
    with context.statistics.spending("replay"):
        found = repeated_run(whole, run, back)
    if isinstance(found, str):
        return Unknown(f"a counterexample was found, but {found}")
    verdict = confirmed_violation(context, violated(found.replay, whole), whole)
    if found.is_complete or (isinstance(verdict, Violated) and isinstance(verdict.compiled, Reached)):
        return verdict
    if isinstance(verdict, Unknown):
        return verdict
    return Unknown(
        "a counterexample was found, but its loops are too long for the interpreter, and nothing is compiled"
    )


def confirmed_violation(context: Context, verdict: Violated, program: Program) -> Violated | Unknown:
    """What the interpreter has replayed, after the compiled program was asked, if it is to be."""
    if not context.confirm:
        return replace(verdict, confirmed=False)
    if context.request is None or not context.compiled:
        return verdict
    with context.statistics.spending("compiled replay"):
        found = run_for_real(verdict, context.request, program, context.time_to_confirm)
    if isinstance(found, Violated) or context.veto is None:
        return found
    # Some inputs cannot be given, such as arguments; but the program may have been seen to do it with others.
    shown = context.veto.violation
    if program.left_out:  # which error that was is not known
        return found
    if shown is None or not shown.counts or shown.violated != verdict.property.name:
        return found
    other = Replay(verdict.replay.location, shown.inputs, (), surroundings=shown.surroundings)
    return replace(verdict, replay=other, compiled=Reached(shown.compiler, len(shown.inputs), shown.seconds))


def run_for_real(verdict: Violated, request: Request, program: Program, seconds: float | None) -> Violated | Unknown:
    """A counterexample that the interpreter has replayed, run in the compiled program: it counts unless that does
    something else.
    """
    from craton.evidence.compiled import run_compiled
    from craton.evidence.surroundings import surrounded

    if is_boogie(request):
        objection = _objection(verdict)
        if objection is not None:
            return objection
    verdict = replace(verdict, replay=surrounded(verdict.replay))
    compiled = run_compiled(request, program, verdict.replay, verdict.property.name, seconds)
    loose = (*program.approximated, *_taken_for_unknown(program))
    match compiled:
        case NotCompiled(reason) if loose:
            named = ", ".join(loose[:3])
            return Unknown(f"a counterexample was found, but {named} may have other results in C, and {reason}")
        case NotReached(reason, late=True):
            why = f"evidence incomplete: the interpreter replays a counterexample, but {reason}"
            return Unknown(why, Limit.WALL)
        case NotReached(reason):
            return Unknown(f"a counterexample was found, but {reason}")
        case _:
            return replace(verdict, compiled=compiled)


def _objection(verdict: Violated) -> Unknown | None:
    """What is to be said where the two judges of a program that cannot be compiled do not agree; None if they do."""
    from craton.evidence.judges import objection

    problem = objection(verdict.replay)
    return Unknown(f"a counterexample was found, but its judges do not agree: {problem}") if problem else None


def _taken_for_unknown(program: Program) -> Iterator[str]:
    """Functions that the C library defines and the program takes for unknown ones."""
    from craton.frontends.c.library.platform import in_c_library

    return filter(in_c_library, program.unknown_functions)


def _over_approximated_function(edges: Sequence[Edge], program: Program) -> str:
    """The first function on the way that stands for more than the source means; "" if there is none."""
    if program.over_approximated:
        for edge in edges:
            statement = edge.statement
            for term in (getattr(statement, "condition", TRUE), getattr(statement, "value", TRUE)):
                for function in functions(term):
                    if function.name in program.over_approximated:
                        return function.name
    return ""


def _with_facts(invariants: Mapping[Location, Term], program: Program) -> dict[Location, Term]:
    """The invariants with what intervals and congruences say: what proofs of views lack in bits is mostly bounds."""
    from craton.facts import facts

    known = facts(program, FACTS_SECONDS)
    return {x: and_(invariant, *known[x]) for x, invariant in invariants.items() if x in known}


def _in_bits(invariants: Mapping[Location, Term], program: Program, view: View) -> dict[Location, Term]:
    """The invariants of a view at the locations of the bit-precise program."""
    return {x: view.weaker_in_bits(invariants[x]) for x in program.main.locations if x in invariants}
