"""The `craton` command: arguments, exit codes, and errors as one clear line.

Commands live in `craton.commands`, one file each, and import what they need when they run, so that `craton --help` is
quick.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from craton.commands.streams import reliable_streams
from craton.errors import CratonError, bug
from craton.files import CannotWrite
from craton.lazy_methods import make_methods_lazily
from craton.version import __version__

OK, VIOLATION, BAD_INPUT, UNKNOWN, INTERRUPTED = 0, 1, 2, 3, 130

_COMMANDS = (
    "verify bench reproduce check validate explain cfa run tables compare tune engines refiners solvers serve"
    " completion manual"
).split()

_EPILOG = """\
begin with:
  craton verify prog.c                  TRUE with a proof, FALSE with a failing run
  craton verify prog.c --property all   memory, overflow, division by zero, too
  craton verify prog.c --report p.html  as a page; failing runs step by step
  craton explain prog.c                 what refiners learn from an error path
  craton serve                          all of this in the browser
  craton COMMAND --help                 options, with examples

exit codes:
  0    it worked (a verifier: the property holds)
  1    a violation was found
  2    bad input: the message says what, where, and what to do
  3    unknown: no answer within the limits, with the reason
  130  interrupted
"""


def build_parser(commands: Sequence[str] = _COMMANDS) -> _Parser:
    """With all commands, or with the one that is asked for: importing the others would cost every run."""
    parser = _Parser(
        prog="craton",
        description="A software model checker built around the refinement step: Craig interpolation and Newton.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"craton {__version__}")
    parser.add_argument("--debug", action="store_true", help="show Python tracebacks of errors")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name in commands:
        import_module(f"craton.commands.{name}").add_to(subparsers)
    parser.set_defaults(build_parser=build_parser)  # for commands about commands, which know nothing of this module
    return parser


class _Help(argparse.HelpFormatter):
    """Paragraphs fill the width of the terminal; those with indented lines (examples, tables) stay as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        from textwrap import fill

        paragraphs = text.strip("\n").split("\n\n")
        return "\n\n".join(one if "\n " in f"\n{one}" else fill(one, width) for one in paragraphs)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with arguments, also to those who read JSON."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": _Help, **options})

    def error(self, message: str) -> NoReturn:
        raise _BadArguments(f"{self.prog}: {message} ({self.prog} --help)")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """A command that there is not is most often one that was misspelt."""
        known = list(action.choices or ())
        if action.dest == "command" and value not in known:
            self.error(f"there is no command {value!r}; {_meant(value, known)}")
        super()._check_value(action, value)

    def understood(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments, all of them."""
        args, rest = self.parse_known_args(words, argparse.Namespace(words=tuple(words)))
        if rest:
            commands = next(action for action in self._actions if isinstance(action, argparse._SubParsersAction))
            parser = self if args.command is None else commands.choices[args.command]
            known = [option for option in parser._option_string_actions if option.startswith("--")]
            meant = _meant(rest[0].partition("=")[0], known, all_of_them=False)
            what = "there is no option" if rest[0].startswith("-") else "there is one argument too many:"
            parser.error(f"{what} {rest[0]}{meant and f'; {meant}'}")
        return args


def _meant(word: str, known: Sequence[str], *, all_of_them: bool = True) -> str:
    """What was meant, perhaps, or all that there is."""
    from difflib import get_close_matches

    meant = get_close_matches(word, known, 1, 0.7)
    if meant:
        return f"did you mean {meant[0]}?"
    return f"known are {', '.join(known)}" if all_of_them else ""


class _BadArguments(Exception):
    """Arguments that the parser does not understand."""


class _BadFile(_BadArguments):
    """A file of arguments that cannot be understood."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command. Law: with `--json`, exactly one object is printed, whatever happens."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    gc.set_threshold(100_000, 50, 100)  # importing makes much and leaves no garbage
    make_methods_lazily()
    if sys.stdout is None:
        print("craton: standard output is closed: there is nowhere to write to", file=sys.stderr or sys.__stderr__)
        return BAD_INPUT
    try:
        with reliable_streams():
            return _told(words)
    except CannotWrite as problem:
        print(f"craton: {problem}", file=sys.stderr)
        return BAD_INPUT


def _told(words: Sequence[str]) -> int:
    first, given = words[:1], words
    parser = build_parser(() if first == ["--version"] else first if first and first[0] in _COMMANDS else _COMMANDS)
    try:
        words = _configured(words, parser)
        args = parser.understood(words)
    except _BadArguments as problem:
        told = str(problem)
        if source := _source_of(problem, words, given, parser):
            told = f"craton: {source}: {told.partition(': ')[2]}"
        print(told, file=sys.stderr)
        _print_failure(_wanted_format(words), told, BAD_INPUT)
        raise SystemExit(BAD_INPUT) from None
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
    except Exception as error:
        return _report(args, bug(error), UNKNOWN)


def _configured(words: Sequence[str], parser: argparse.ArgumentParser) -> Sequence[str]:
    """With the options of a configuration file; only `verify` has one."""
    if words[:1] != ["verify"]:
        return words
    from craton.arguments.config_file import BadConfiguration, with_configuration

    commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    try:
        return with_configuration(words, list(commands.choices["verify"]._option_string_actions))
    except BadConfiguration as problem:
        raise _BadFile(f"craton: {problem}") from None


def _source_of(problem: _BadArguments, words: Sequence[str], given: Sequence[str], parser: _Parser) -> Path | None:
    """The configuration file, if the arguments are understood without it."""
    if words is given or isinstance(problem, _BadFile):
        return None
    from craton.arguments.config_file import configuration_of

    try:
        parser.understood(given)
    except _BadArguments:
        return None
    return configuration_of(given)


def _report(args: argparse.Namespace, message: str, code: int) -> int:
    if args.debug:
        import traceback

        traceback.print_exc()
    print(f"craton: {message}", file=sys.stderr)
    form = "json" if getattr(args, "json", None) is True else getattr(args, "format", None)
    _print_failure(form, message.removeprefix("UNKNOWN: "), code)
    return code


def _wanted_format(words: Sequence[str]) -> str:
    """Of arguments that nobody understands."""
    if "--json" in words:
        return "json"
    said = [value for option, value in pairwise(words) if option == "--format"]
    said += [word.partition("=")[2] for word in words if word.startswith("--format=")]
    return said[-1] if said else "text"


def _print_failure(form: str | None, message: str, code: int) -> None:
    """For programs that read the answer: what the last line on standard error says, in their format. As JSON with a
    verdict only if that is unknown.
    """
    if form in ("sarif", "github", "junit"):
        from craton.report.formats import FAILURES

        print(FAILURES[form](message))
    elif form == "json":
        import json

        told: dict[str, str | int] = {"schema_version": 1, "error": message, "exit_code": code}
        if code == UNKNOWN:
            told = {"verdict": "unknown", "reason": message, **told}
        print(json.dumps(told, indent=2))


if __name__ == "__main__":
    sys.exit(main())
