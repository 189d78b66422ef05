"""`craton manual`: the manual page, made from what the commands say of themselves."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from craton.version import __version__

_WIDTH = 78  # of usages, whatever the terminal

_EPILOG = """\
examples:
  craton manual | man -l -
  craton manual > ~/.local/share/man/man1/craton.1
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "manual",
        help="print the manual page",
        description="Prints the manual page of craton and all its commands, for man.",
        epilog=_EPILOG,
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    print(page(args.build_parser()), end="")
    return 0


def page(parser: argparse.ArgumentParser) -> str:
    """In the language of man(7)."""
    commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    helps = {choice.dest: choice.help or "" for choice in commands._choices_actions}
    lines = [
        f'.TH CRATON 1 "" "craton {__version__}" "User Commands"',
        ".SH NAME",
        f"craton \\- {_text(parser.description or '')}",
        ".SH SYNOPSIS",
        ".B craton",
        "COMMAND [OPTION]...",
        ".SH COMMANDS",
        *(line for name, told in helps.items() for line in (".TP", f".B {_text(name)}", _text(told))),
    ]
    examples, _, codes = (parser.epilog or "").partition("\n\n")
    lines += [".SH EXAMPLES", *_preformatted(examples.partition("\n")[2])]
    for name, command in commands.choices.items():
        lines += [f'.SH "CRATON {name.upper()}"', *_command(command)]
    return "\n".join([*lines, '.SH "EXIT STATUS"', *_preformatted(codes.partition("\n")[2])]) + "\n"


def _command(parser: argparse.ArgumentParser) -> Iterator[str]:
    formatter = argparse.HelpFormatter(parser.prog, width=_WIDTH)
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, prefix="")
    yield from _preformatted(formatter.format_help())
    yield from _paragraphs(parser.description or "")
    for action in parser._actions:
        if action.help != argparse.SUPPRESS:
            yield ".TP"
            yield f".B {_text(formatter._format_action_invocation(action))}"
            yield _text(formatter._expand_help(action) if action.help else "")
    yield from _paragraphs(parser.epilog or "")


def _paragraphs(text: str) -> Iterator[str]:
    """Those with indented lines (examples, tables) stay as they are."""
    for one in text.strip("\n").split("\n\n"):
        yield from _preformatted(one) if "\n " in f"\n{one}" else (".PP", *map(_text, one.splitlines()))


def _preformatted(text: str) -> Iterator[str]:
    if text.strip():
        yield from (".PP", ".nf")
        yield from map(_text, text.rstrip().splitlines())
        yield ".fi"


def _text(line: str) -> str:
    """A line that says nothing to the formatter."""
    escaped = line.replace("\\", "\\e").replace("-", "\\-")
    escaped = "".join(one if one.isascii() else f"\\[u{ord(one):04X}]" for one in escaped)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
