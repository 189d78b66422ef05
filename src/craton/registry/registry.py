"""Reads expressions, prints values and describes what can be written, all derived from the dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Generic, TypeVar

from craton.registry.entries import Entry, refines
from craton.registry.expressions import ExpressionError, Meaning, Word, parse
from craton.registry.options import Keyed, Option, Parts, Setting, Several, Words, settings
from craton.registry.plugins import Group

T = TypeVar("T")


# --- printing ---------------------------------------------------------------------------------------------------------


def written(value: Any, word: str) -> str:
    """The value as an expression: reading it gives the value again."""
    words: list[str] = []
    said: set[str] = set()
    for setting in settings(type(value)):
        if setting.field not in said:  # the first option that can express it
            text = setting.option.printed(getattr(value, setting.field), setting.default)
            words += text
            if text:
                said.add(setting.field)
    between = ", " if any(isinstance(s.option, Parts | Several) for s in settings(type(value))) else ","
    return f"{word}({between.join(words)})" if words else word


# --- registries -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Registry(Generic[T]):
    """Everything of one kind (refiners, engines) that can be written, with presets for frequent expressions, and what
    other packages add. Craton's own names keep their meaning, whatever others add.
    """

    kind: str
    own: Mapping[str, Entry]
    presets: Mapping[str, str] = field(default_factory=dict)
    group: Group | None = None  # of entry points

    @property
    def entries(self) -> Mapping[str, Entry]:
        """All of them, those of other packages last."""
        return self.own if self.group is None else {**self.own, **self._added(self.group)}

    def _added(self, group: Group) -> Mapping[str, Entry]:
        return {name: entry for name, entry in group.plugins.items() if name not in {*self.own, *self.presets}}

    @property
    def names(self) -> list[str]:
        return [*self.entries, *self.presets]

    def find(self, name: str) -> Entry | None:
        """What a name stands for, if it is not a preset; other packages are looked at only if it is not our own."""
        return self.own.get(name) or self.entries.get(name)

    def knows(self, name: str) -> bool:
        return name in self.presets or self.find(name) is not None

    def read(self, text: str, **given: Any) -> T:
        """The value of an expression or of a preset's name. `given` are fields that are not part of the expression,
        such as an engine's solver; those that the dataclass does not have are ignored.
        """
        return self._value(parse(text), Meaning(text), given)

    def entry(self, text: str) -> Entry:
        """The entry of the outermost name of an expression."""
        word = parse(text)
        if word.name in self.presets:
            return self.entry(self.presets[word.name])
        found = self.find(word.name)
        if found is None:
            raise Meaning(text).unknown(word, self.kind, self.names)
        return found

    def _value(self, word: Word, meaning: Meaning, given: Mapping[str, Any]) -> T:
        if word.value is not None:
            raise ExpressionError(meaning.text, word.position, f"{word.name}=… is an option, not a {self.kind}")
        if word.name in self.presets:
            if word.arguments is not None:
                raise ExpressionError(meaning.text, word.position, f"{word.name} is a preset and takes no arguments")
            return self.read(self.presets[word.name], **given)
        entry = self.find(word.name)
        if entry is None:
            raise meaning.unknown(word, self.kind, self.names)
        return _Reading(self, entry, word, meaning, given).value()


class _Reading(Generic[T]):
    """Reads one application of a name to arguments."""

    def __init__(
        self, registry: Registry[T], entry: Entry, word: Word, meaning: Meaning, given: Mapping[str, Any]
    ) -> None:
        self.registry = registry
        self.entry = entry
        self.word = word
        self.meaning = meaning
        self.given = given
        self.settings = entry.settings
        self.parts = next((s for s in self.settings if isinstance(s.option, Parts)), None)
        self.inner: list[Word] = []
        self.said: dict[str, Word] = {}  # field → the word that set it
        self.fields: dict[str, Any] = {}

    def value(self) -> T:
        # Keys last, so that `core=statement` refines `it` wherever it is written. Words with a number keep their place.
        keys = frozenset(self._keys())
        for argument in sorted(self.word.arguments or (), key=lambda argument: argument.name in keys):
            self._argument(argument)
        if self.parts is not None:
            self.fields[self.parts.field] = self._parts(self.parts.option)
        known = {one.name for one in fields(self.entry.kind)}
        given = {name: value for name, value in self.given.items() if name in known}
        made: T = self.entry.kind(**{**given, **self.fields})
        return made

    def _argument(self, argument: Word) -> None:
        for setting in self.settings:
            if self._is_for(setting.option, argument):
                self._set(setting, argument)
                return
        if self._is_part(argument):
            self.inner.append(argument)
            return
        raise self._mistake(argument)

    def _is_for(self, option: Option, argument: Word) -> bool:
        match option:
            case Keyed(key):
                return argument.value is not None and argument.name == key
            case Words():
                return argument.name in option.choices()
            case Several():
                return argument.name in option.words()
        return False

    def _set(self, setting: Setting, argument: Word) -> None:
        option = setting.option
        if isinstance(option, Several):
            before = self.fields.get(setting.field, ())
            self.fields[setting.field] = (*before, option.read(argument, self.meaning))
            return
        self._once(f"{setting.field}=" if refines(option) else setting.field, argument)
        if isinstance(option, Keyed):
            assert argument.value is not None
            self.fields[setting.field] = option.reader.read(argument.value, self.meaning)
        elif isinstance(option, Words):
            self.fields[setting.field] = self.meaning.choose(argument, option.choices(), "")

    def _once(self, what: str, argument: Word) -> None:
        first = self.said.setdefault(what, argument)
        if first is not argument:
            problem = f"{argument.name} contradicts or repeats {first.name}"
            raise ExpressionError(self.meaning.text, argument.position, problem)

    # --- parts and mistakes ---

    def _is_part(self, argument: Word) -> bool:
        if self.parts is None:
            return False
        plain = not any(isinstance(s.option, Words | Several) for s in self.settings)
        if argument.value is not None:  # if there are only parts, the registry reports it as an option
            return plain and isinstance(self.parts.option, Parts) and self.parts.option.most is None
        return argument.name not in self._keys() and (plain or self.registry.knows(argument.name))

    def _parts(self, option: Option) -> Any:
        assert isinstance(option, Parts)
        kind = self.registry.kind
        if len(self.inner) < option.least:
            few = f"one {kind}" if option.least == 1 else f"{option.least} {kind}s"
            problem = f"{self.entry.name} needs at least {few} in parentheses"
            raise ExpressionError(self.meaning.text, self.word.position, problem)
        if option.most is not None and len(self.inner) > option.most:
            raise ExpressionError(self.meaning.text, self.word.position, f"{self.entry.name} takes one {kind}")
        made = tuple(self.registry._value(part, self.meaning, self.given) for part in self.inner)
        return made[0] if option.most == 1 else made

    def _keys(self) -> list[str]:
        return [setting.option.key for setting in self.settings if isinstance(setting.option, Keyed)]

    def _mistake(self, argument: Word) -> ExpressionError:
        if argument.value is None and argument.name in self._keys():
            problem = f"{argument.name} needs a value: {argument.name}=…"
            return ExpressionError(self.meaning.text, argument.position, problem)
        several = next((s.option for s in self.settings if isinstance(s.option, Several)), None)
        if argument.value is None and several is not None:
            known = [*self.registry.names, *several.words()]
            return self.meaning.unknown(argument, f"{self.registry.kind} or {several.what}", known)
        named = next((s.option for s in self.settings if isinstance(s.option, Words) and s.option.what), None)
        if argument.value is None and named is not None:
            return self.meaning.unknown(argument, named.what, list(named.choices()))
        return self.meaning.unknown(argument, f"option of {self.entry.name}", self._shown_words())

    def _shown_words(self) -> list[str]:
        """The words to suggest, without open lists such as all solvers."""
        found: list[str] = []
        for setting in self.settings:
            if isinstance(setting.option, Words):
                found += setting.option.choices()
            elif isinstance(setting.option, Keyed):
                found.append(setting.option.key)
        return found
