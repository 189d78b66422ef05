"""Arguments that name a program: its files, how they are read, and what is to be checked."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from craton.frontends.programs import Request
    from craton.program.passes import Passes


def add_source_arguments(parser: argparse.ArgumentParser, files: str = "+") -> None:
    parser.add_argument("files", nargs=files, metavar="FILE", help="C files, one Boogie program, or one task (.yml)")
    parser.add_argument(
        "--property",
        metavar="P",
        help="a property file, or names: reach (the default: no assertion fails, no error function is called, no label "
        "ERROR is reached), memsafety, overflow, div-by-zero, memcleanup, all; several with commas",
    )
    parser.add_argument("--data-model", choices=("ILP32", "LP64"), help="default: the task's, or that of this machine")
    parser.add_argument("-I", dest="include", action="append", default=[], metavar="DIR", help="where headers are")
    parser.add_argument(
        "-D", dest="define", type=_definition, action="append", default=[], metavar="NAME=VALUE", help="define a macro"
    )
    add_unknown_functions(parser)


def _definition(text: str) -> str:
    if not re.match(r"[A-Za-z_]\w*(?:\(|=|$)", text):
        raise argparse.ArgumentTypeError(f"expected NAME or NAME=VALUE, found {text!r}")
    return text


def add_unknown_functions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--unknown-functions",
        choices=("pure", "arbitrary", "refuse"),
        help="what functions may do that nobody defines or knows: nothing but return any value (default for tasks), "
        "change all that they can reach (default for plain files), or refuse to decide where one is called",
    )


def add_passes(group: argparse._ArgumentGroup, usual: str, doing: str) -> None:
    """`--passes`: which passes run, so that they do not do a refiner's work in an experiment."""
    group.add_argument(
        "--passes",
        dest="switched_passes",
        metavar="P,…",
        help=f"which passes make the program smaller before {doing}: "
        f"dead-code, slicing, constants, elements, waiting, or none ({usual})",
    )


def requested_of_one_file(args: argparse.Namespace) -> Request:
    """What the arguments name, for commands that are about one property file."""
    from craton.errors import CratonError
    from craton.frontends.programs import properties_asked

    request = requested(args)
    files = list(dict.fromkeys(asked.file for asked in properties_asked(request)))
    if len(files) > 1:
        raise CratonError(f"{args.files[0]} has several properties: say which with --property, of {', '.join(files)}")
    return request


def requested(args: argparse.Namespace) -> Request:
    """What the arguments name."""
    from craton.frontends.programs import Request

    return Request(
        tuple(args.files),
        args.property,
        args.data_model,
        tuple(args.include),
        tuple(args.define),
        args.unknown_functions,
        passes=_passes(args),
    )


def _passes(args: argparse.Namespace) -> Passes:
    from craton.program.passes import ALL, read_passes

    said: str | None = getattr(args, "switched_passes", None)
    return ALL if said is None else read_passes(said)
