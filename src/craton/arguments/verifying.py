"""All arguments of `craton verify`, and the stages and files that they stand for."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from craton.arguments.numbers import positive_number, whole_number
from craton.arguments.sources import add_passes, add_source_arguments
from craton.errors import CratonError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from craton.configuration.stages import Stage
    from craton.evidence.files import EvidenceFiles
    from craton.report.verdict import Output


def add_verify_arguments(parser: argparse.ArgumentParser) -> None:
    add_source_arguments(parser, files="*")
    parser.add_argument(
        "-p",
        dest="build",
        type=Path,
        metavar="DIR",
        help="take files, directories of headers and macros from the compile_commands.json in DIR",
    )
    parser.add_argument(
        "--function", metavar="F", help="verify F, with arbitrary arguments and global variables, instead of main"
    )
    _add_how(parser)
    _add_limits_and_evidence(parser)
    _add_output(parser)


def _add_how(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group("how", "without an engine, several ways take turns")
    how.add_argument(
        "--engine", metavar="E", help="one way alone: bounded, kinduction, predicate, …; see craton engines"
    )
    how.add_argument(
        "--stages", type=Path, metavar="FILE", help="the ways to try, as TOML; craton engines prints the default ones"
    )
    how.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="NAME",
        help="leave out an engine, or all ways with a view (cells, accelerated); may be repeated",
    )
    how.add_argument("--refine", metavar="R", help="a refinement expression; see craton refiners")
    how.add_argument(
        "--check-refutations", action="store_true", help="let other solvers check every sequence that a refiner finds"
    )
    how.add_argument("--encoding", choices=("bv", "int", "ideal"), help="bits, or integers with or without overflow")
    how.add_argument("--floats", choices=("exact", "real"), help="IEEE floats, or reals as a view of them")
    how.add_argument(
        "--arrays",
        choices=("exact", "cells", "all", "prefixes"),
        help="arrays; a view of one element at a time; arrays and what that view suggests of all elements; "
        "the same with histories of sums, counts and maxima of prefixes",
    )
    how.add_argument("--loops", choices=("exact", "accelerated"), help="loops, or many rounds as one step")
    add_passes(how, "all of them", "engines see it")
    how.add_argument("--solver", metavar="S", help="the engine's solver; see craton solvers")
    how.add_argument(
        "--seed",
        type=whole_number(0, (1 << 31) - 1),
        help="of tests and runs on inputs that are drawn; the same seed, the same run",
    )
    how.add_argument(
        "--jobs",
        type=whole_number(1, 1024),
        default=1,
        metavar="N",
        help="of several ways, so many at once (1: they take turns)",
    )
    how.add_argument(
        "--deterministic",
        action="store_true",
        help="for experiments: turns and limits are of counted work, one way at a time, so that each run is the same",
    )


def _add_limits_and_evidence(parser: argparse.ArgumentParser) -> None:
    limits = parser.add_argument_group("limits")
    limits.add_argument("--time-limit", type=positive_number, default=300.0, metavar="SECONDS", help="wall time (300)")
    limits.add_argument("--cpu-limit", type=positive_number, metavar="SECONDS", help="processor time of all processes")
    limits.add_argument("--memory-limit", type=positive_number, metavar="MIB", help="memory of all processes")
    evidence = parser.add_argument_group(
        "evidence", "files to keep it in; it is checked whether they are asked for or not"
    )
    evidence.add_argument("--proof", type=Path, metavar="FILE", help="certificate of TRUE; see craton check")
    evidence.add_argument("--harness", type=Path, metavar="DIR", help="failing run of FALSE, ready for a debugger")
    evidence.add_argument("--witness", type=Path, metavar="FILE", help="for other verifiers; see craton validate")
    evidence.add_argument(
        "--witness-format", choices=("yaml", "graphml"), help="default: by the name of the file, otherwise yaml"
    )
    evidence.add_argument("--no-confirm", action="store_true", help="believe the engine; the verdict says so")


def _add_output(parser: argparse.ArgumentParser) -> None:
    config = parser.add_argument_group("configuration", "[tool.craton] of pyproject.toml, or craton.toml")
    config.add_argument(
        "--config", type=Path, metavar="FILE", help="options as TOML; the command line comes after them"
    )
    config.add_argument("--no-config", action="store_true", help="read no configuration file")
    output = parser.add_argument_group("output")
    output.add_argument("--show-properties", action="store_true", help="list every check, and verify nothing")
    output.add_argument("--each", action="store_true", help="a verdict for each check, as a table")
    output.add_argument("--report", type=Path, metavar="FILE", help="everything about the run as one page (HTML)")
    output.add_argument(
        "--format",
        choices=("text", "json", "sarif", "github", "junit"),
        default="text",
        help="text (default), one JSON object, or what code scanning, GitHub workflows and test reports read",
    )
    output.add_argument("--json", action="store_true", help="the same as --format json")
    output.add_argument("--picture", action="store_true", help="in JSON, the automaton, too (SVG)")
    output.add_argument("--stats", action="store_true", help="what the run did, and where the time went")
    output.add_argument("--quiet", action="store_true", help="the verdict, and nothing else")


def stages_of(args: argparse.Namespace) -> Sequence[Stage]:
    from craton.configuration.stages import DEFAULT, read_stages
    from craton.verification.stages import chosen_stages

    if args.stages is not None and args.engine is not None:
        raise CratonError("--stages and --engine exclude each other: a file of stages names its engines")
    if args.without and args.engine is not None:
        raise CratonError("--without and --engine exclude each other: nothing is tried but the engine")
    usual = DEFAULT if args.stages is None else read_stages(args.stages)
    return chosen_stages(
        args.engine,
        args.refine,
        usual=usual.without(args.without) if args.without else usual,
        encoding=args.encoding,
        floats=args.floats,
        arrays=args.arrays,
        loops=args.loops,
        solver=args.solver,
        seed=args.seed,
        check_refutations=args.check_refutations,
    )


def output_of(args: argparse.Namespace) -> Output:
    from craton.report.verdict import Output

    return Output("json" if args.json else args.format, args.stats, args.quiet, args.picture)


def evidence_files_of(args: argparse.Namespace) -> EvidenceFiles:
    from craton.evidence.files import EvidenceFiles

    graphml = args.witness is not None and args.witness.suffix == ".graphml"
    if args.witness_format is not None:
        graphml = args.witness_format == "graphml"
    return EvidenceFiles(args.proof, args.harness, args.witness, "graphml" if graphml else "yaml")
