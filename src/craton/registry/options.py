"""How a field of a dataclass is written in an expression: `newton(it, sp, solver=z3, time=2)`.

A field has options, each of which reads some words and prints some values:

    live: bool = flag("lv")                                        the word itself
    direction: Direction = word_choice(Direction.SP)               one word for each value
    quantifiers: Quantifiers = keyed_choice(Quantifiers.LIGHT)     quantifiers=none|light|full
    time_limit: float | None = keyed_seconds(10.0)                 time=SECONDS, or time=none
    der: bool = switch("der")                                      der=true|false, true by default
    refiners: tuple[Refiner, ...] = parts(at_least=2)              other expressions

A field without options cannot be set by users. (The kinds of options are named tuples because they are created at every
start, and creating a dataclass takes ten times as long.)
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, field, fields
from typing import Any, NamedTuple, Protocol, TypeVar, cast

from craton.registry.expressions import ExpressionError, Meaning, Word

T = TypeVar("T")
E = TypeVar("E", bound=enum.Enum)

Choices = Mapping[str, Any]
_OPTIONS = "options"  # the key of a field's metadata
NONE = "none"  # how "no limit" is written


class ValueReader(Protocol):
    """Reads and prints the value after `key=`."""

    @property
    def usage(self) -> str: ...

    def read(self, word: Word, meaning: Meaning) -> Any: ...

    def text(self, value: Any) -> str: ...

    def examples(self) -> Sequence[str]:
        """The values that completion offers."""
        ...


# --- the kinds of options ---------------------------------------------------------------------------------------------


class Words(NamedTuple):
    """Single words, each for a value of the field."""

    choices: Callable[[], Choices]
    what: str = ""  # for error messages about other words; if empty, those are unknown options
    always: bool = False  # printed even if it is the default
    shown: str = ""  # shown in usages instead of the words

    @property
    def usage(self) -> str:
        return self.shown or "|".join(self.choices())

    def printed(self, value: Any, default: Any) -> list[str]:
        if value == default and not self.always:
            return []
        return [word for word, meaning in self.choices().items() if meaning == value][:1]


class Keyed(NamedTuple):
    """`key=value`. If it `refines` a word for the same field, both may be written together."""

    key: str
    reader: ValueReader
    refines: bool = False

    @property
    def usage(self) -> str:
        return f"{self.key}={self.reader.usage}"

    def printed(self, value: Any, default: Any) -> list[str]:
        return [] if value == default else [f"{self.key}={self.reader.text(value)}"]


class Several(NamedTuple):
    """Any number of words, some with a number (`random=7`); their values form a tuple."""

    choices: Callable[[], Choices]
    numbered: Callable[[], Mapping[str, Callable[[int], Any]]]
    what: str

    @property
    def usage(self) -> str:
        return "|".join([*self.choices(), *(f"{word}=N" for word in self.numbered())]) + ", …"

    def words(self) -> list[str]:
        return [*self.choices(), *self.numbered()]

    def read(self, word: Word, meaning: Meaning) -> Any:
        numbered = self.numbered()
        if word.name in numbered:
            return numbered[word.name](0 if word.value is None else meaning.number(word.value))
        return meaning.choose(word, self.choices(), self.what)

    def printed(self, value: Any, default: Any) -> list[str]:
        return [item.name for item in value]


class Parts(NamedTuple):
    """Other expressions of the same kind, in order; `most` is 1 if the field holds a single one instead of a tuple."""

    least: int
    most: int | None

    @property
    def usage(self) -> str:
        return ", ".join(["R"] * self.least) + (", …" if self.most is None else "")

    def printed(self, value: Any, default: Any) -> list[str]:
        return [part.name for part in ([value] if self.most == 1 else value)]


Option = Words | Keyed | Several | Parts


# --- values of keys ---------------------------------------------------------------------------------------------------


class Choice(NamedTuple):
    choices: Callable[[], Choices]
    what: str
    shown: str = ""

    @property
    def usage(self) -> str:
        return self.shown or "|".join(self.choices())

    def read(self, word: Word, meaning: Meaning) -> Any:
        return meaning.choose(word, self.choices(), self.what)

    def text(self, value: Any) -> str:
        return next((word for word, chosen in self.choices().items() if chosen == value), str(value))

    def examples(self) -> Sequence[str]:
        return list(self.choices())


class Seconds(NamedTuple):
    usage: str = "T"
    zero: bool = False  # whether 0 makes sense

    def read(self, word: Word, meaning: Meaning) -> float | None:
        return None if word == Word(NONE, word.position) else meaning.seconds(word, self.zero)

    def text(self, value: float | None) -> str:
        return NONE if value is None else f"{value:g}"

    def examples(self) -> Sequence[str]:
        return ("1", "10", NONE)


class PositiveNumber(NamedTuple):
    usage: str = "N"

    def read(self, word: Word, meaning: Meaning) -> int:
        if not word.name.isdecimal() or int(word.name) < 1:
            raise ExpressionError(meaning.text, word.position, f"expected a positive number, found {word.name!r}")
        return meaning.number(word)

    def text(self, value: int) -> str:
        return str(value)

    def examples(self) -> Sequence[str]:
        return ()


# --- fields -----------------------------------------------------------------------------------------------------------


def flag(word: str) -> bool:
    """True if the word is written, otherwise False."""
    return cast(bool, _field(False, Words(lambda: {word: True})))


def switch(key: str) -> bool:
    """`key=false` switches off what is on otherwise."""
    return cast(bool, _field(True, Keyed(key, Choice(lambda: {"true": True, "false": False}, key))))


def word_choice(
    default: T,
    choices: Choices | Callable[[], Choices] | None = None,
    *,
    what: str = "",
    shown: str = "",
    always: bool = False,
    number: str = "",
) -> T:
    """One word for each value: the values of the default's enumeration, or of a table. `number`: also `number=N`."""
    options: list[Option] = [Words(_choices(default, choices), what, always, shown)]
    if number:
        options.append(Keyed(number, PositiveNumber()))
    return cast(T, _field(default, *options))


def keyed_choice(
    default: T,
    key: str,
    choices: type[enum.Enum] | Callable[[], Choices],
    *,
    what: str = "",
    shown: str = "",
    words: Choices | None = None,
) -> T:
    """`key=choice`; `words` are abbreviations for some of the choices."""
    table = _of_enumeration(choices) if isinstance(choices, type) else choices
    options: list[Option] = [] if words is None else [Words(lambda: words)]
    options.append(Keyed(key, Choice(table, what or key, shown), refines=words is not None))
    return cast(T, _field(default, *options))


def keyed_seconds(default: float | None, key: str = "time") -> float | None:
    """`key=SECONDS`, or `key=none` for no limit; 0 only where the default is."""
    return cast("float | None", _field(default, Keyed(key, Seconds(zero=default == 0))))


def keyed_number(default: int | None, key: str) -> int | None:
    return cast("int | None", _field(default, Keyed(key, PositiveNumber())))


def keyed_value(default: T, key: str, reader: ValueReader) -> T:
    """`key=…`, read and printed by a reader of its own."""
    return cast(T, _field(default, Keyed(key, reader)))


def several_words(
    default: T, choices: Callable[[], Choices], numbered: Callable[[], Mapping[str, Callable[[int], Any]]], what: str
) -> T:
    return cast(T, _field(default, Several(choices, numbered, what)))


def one_part() -> Any:
    return _field(MISSING, Parts(1, 1))


def parts(at_least: int) -> Any:
    return _field(MISSING, Parts(at_least, None))


def _field(default: Any, *options: Option) -> Any:
    metadata = {_OPTIONS: options}
    return field(metadata=metadata) if default is MISSING else field(default=default, metadata=metadata)


def _choices(default: Any, choices: Choices | Callable[[], Choices] | None) -> Callable[[], Choices]:
    if choices is None:
        return _of_enumeration(type(default))
    return choices if callable(choices) else lambda: choices


def _of_enumeration(kind: type[enum.Enum]) -> Callable[[], Choices]:
    return lambda: {member.value: member for member in kind}


# --- the options of a dataclass ---------------------------------------------------------------------------------------


class Setting(NamedTuple):
    """A field that users can set, with one of its options."""

    field: str
    option: Option
    default: Any


def settings(kind: type[Any]) -> Iterable[Setting]:
    """In the order of the fields."""
    for one in fields(kind):
        for option in one.metadata.get(_OPTIONS, ()):
            yield Setting(one.name, option, one.default)
