"""The `craton` command: arguments, exit codes, and errors as one clear line.

Commands live in `craton.commands`, one file each, and import what they need when they run, so that `craton --help` is
quick.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence

from craton.commands import (
    bench,
    cfa,
    check,
    compare,
    engines,
    explain,
    refiners,
    reproduce,
    run,
    solvers,
    tables,
    validate,
    verify,
)
from craton.errors import CratonError
from craton.version import __version__

OK, VIOLATION, BAD_INPUT, UNKNOWN, INTERRUPTED = 0, 1, 2, 3, 130

_COMMANDS = (verify, bench, reproduce, check, validate, explain, cfa, run, tables, compare, engines, refiners, solvers)

_EPILOG = """\
exit codes:
  0  it worked (a verifier: the property holds)
  1  a violation was found
  2  bad input: the message says what, where, and what to do
  3  unknown: no answer within the limits, with the reason
"""


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="craton",
        description="A software model checker built around the refinement step: Craig interpolation and Newton.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"craton {__version__}")
    parser.add_argument("--debug", action="store_true", help="show Python tracebacks of errors")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for command in _COMMANDS:
        command.add_to(subparsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    parser = build_parser()
    args = parser.parse_args(arguments)
    if args.command is None:
        parser.print_help()
        return BAD_INPUT
    try:
        code: int = args.run(args)
        sys.stdout.flush()
        return code
    except CratonError as error:
        word = "UNKNOWN: " if error.exit_code == UNKNOWN else ""
        return _report(args, f"{word}{error}", error.exit_code)
    except KeyboardInterrupt:
        return _report(args, "interrupted", INTERRUPTED)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except Exception as error:
        return _report(args, f"internal error: {error!r}; this is a bug in Craton: please report it", UNKNOWN)


def _report(args: argparse.Namespace, message: str, code: int) -> int:
    if args.debug:
        traceback.print_exc()
    print(f"craton: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
