"""`craton completion`: words that a shell offers while a command is typed. The scripts ask the command itself, so they
know every option, solver, engine and refiner, those of other packages too.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

_BASH = """\
_craton() {
    local IFS=$'\\n'
    COMPREPLY=($(craton completion words -- "${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
    [[ ${#COMPREPLY[@]} -gt 0 ]] || { compopt -o default; return; }
    if [[ ${COMPREPLY[0]} == *[=\\(] ]]; then compopt -o nospace; fi
}
complete -F _craton craton
"""

_ZSH = """\
#compdef craton
_craton() {
    local -a found
    found=("${(@f)$(craton completion words -- "${(j: :)words[1,CURRENT]}" 2>/dev/null)}")
    if [[ -n ${found[1]} ]]; then compadd -U -S '' -Q -- "${found[@]}"; else _files; fi
}
compdef _craton craton
"""

_FISH = """\
function __craton_words
    craton completion words -- (commandline -cp) 2>/dev/null
end
complete -c craton -n 'count (__craton_words) >/dev/null' -f -a '(__craton_words)'
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}

_EPILOG = """\
examples:
  eval "$(craton completion bash)"                                   in ~/.bashrc
  eval "$(craton completion zsh)"                                    in ~/.zshrc, after compinit
  craton completion fish > ~/.config/fish/completions/craton.fish
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "completion",
        help="let the shell complete commands, options and expressions",
        description="Prints a script that lets a shell complete commands, options, and refinement expressions.",
        epilog=_EPILOG,
    )
    parser.add_argument("shell", choices=(*SCRIPTS, "words"), metavar="bash|zsh|fish", help="the shell")
    parser.add_argument("line", nargs="?", help=argparse.SUPPRESS)  # of `words`: the line up to the cursor
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.shell != "words":
        print(SCRIPTS[args.shell], end="")
        return 0
    for word in completed(args.line or "", args.build_parser()):
        print(word)
    return 0


def completed(line: str, root: argparse.ArgumentParser) -> list[str]:
    """What the last word of a line may be; none where it is the name of a file."""
    words = _words(line)
    *before, last = words[1:] or [""]
    command = next((word for word in before if not word.startswith("-")), None)
    if command is None:
        return _beginning(last, [*_subparsers(root), *_options(root)])
    parser = _subparsers(root).get(command)
    if parser is None:
        return []
    action = _expecting(parser, before[before.index(command) + 1 :])
    return _beginning(last, _options(parser)) if action is None else _values(action, last)


def _words(line: str) -> list[str]:
    """The words of a line as a shell reads them, the last one perhaps unfinished: a quote may still be open."""
    found, word, quote = [], "", ""
    begun = False
    for character in line:
        if quote:
            quote, word = ("", word) if character == quote else (quote, word + character)
        elif character in "'\"":
            quote, begun = character, True
        elif character.isspace():
            if word or begun:
                found.append(word)
            word, begun = "", False
        else:
            word += character
    return [*found, word]


def _beginning(start: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(start)]


def _subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _options(parser: argparse.ArgumentParser) -> list[str]:
    return [name for action in parser._actions if action.help != argparse.SUPPRESS for name in action.option_strings]


def _expecting(parser: argparse.ArgumentParser, before: Sequence[str]) -> argparse.Action | None:
    """The option whose value the next word is, or the argument with choices that is still to come."""
    if before and (action := parser._option_string_actions.get(before[-1])) is not None and action.nargs != 0:
        return action
    plain = [word for word in before if not word.startswith("-")]
    positionals = [action for action in parser._actions if not action.option_strings]
    return positionals[0] if positionals and not plain and positionals[0].choices else None


def _values(action: argparse.Action, begun: str) -> list[str]:
    from craton.registry.completion import completions

    if action.choices is not None:
        return _beginning(begun, map(str, action.choices))
    match action.dest:
        case "refine":
            from craton.configuration.refiners import REFINERS

            return completions(REFINERS, begun)
        case "engine":
            from craton.configuration.engines import ENGINES, TESTING

            return [*completions(ENGINES, begun), *_beginning(begun, [TESTING])]
        case "solver":
            from craton.smt.registry import known_solvers

            return _beginning(begun, known_solvers())
        case "property":
            from craton.program.named_properties import NAMES

            others, comma, last = begun.rpartition(",")
            return [f"{others}{comma}{name}" for name in _beginning(last, NAMES)]
    return []
