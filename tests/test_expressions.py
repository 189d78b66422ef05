"""The grammar of expressions, and the words for mistakes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.registry.expressions import ExpressionError, Meaning, Word, parse
from support import examples

_names = st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,4}", fullmatch=True)
_words = st.recursive(
    st.builds(lambda name: (name, None, None), _names | st.from_regex(r"[0-9][0-9.]{0,3}", fullmatch=True)),
    lambda inner: st.one_of(
        st.builds(lambda name, arguments: (name, None, tuple(arguments)), _names, st.lists(inner, max_size=3)),
        st.builds(lambda name, value: (name, value, None), _names, inner),
    ),
    max_leaves=8,
)


def text_of(word: Any, space: str) -> str:
    name, value, arguments = word
    if value is not None:
        return f"{name}{space}={space}{text_of(value, space)}"
    if arguments is None:
        return str(name)
    return f"{name}({space}{f',{space}'.join(text_of(a, space) for a in arguments)}{space})"


def shape_of(word: Word) -> object:
    value = None if word.value is None else shape_of(word.value)
    return word.name, value, None if word.arguments is None else tuple(map(shape_of, word.arguments))


@examples(150)
@given(_words, st.sampled_from(["", " ", "  "]))
def test_what_is_written_is_read(word: object, space: str) -> None:
    assert shape_of(parse(text_of(word, space))) == word


def test_positions_are_those_of_the_names() -> None:
    text = "until-perfect( newton(it, time = 2.5),craig )"
    parsed = parse(text)
    newton, craig = parsed.arguments or ()
    _, limit = newton.arguments or ()
    assert [text[w.position :].startswith(w.name) for w in (parsed, newton, craig, limit)] == [True] * 4
    assert limit.value is not None and limit.value.position == text.index("2.5")


MISTAKES = {
    "": (0, "expected a name, found the end"),
    "a b": (2, "expected the end of the expression, found 'b'"),
    "a(b": (3, "expected ',' or ')', found the end"),
    "a(b c)": (4, "expected ',' or ')', found 'c'"),
    "a(,b)": (2, "expected a name, found ','"),
    "a=": (2, "expected a name, found the end"),
    "a $": (2, "unexpected '$'"),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_are_pointed_at(text: str) -> None:
    position, problem = MISTAKES[text]
    with pytest.raises(ExpressionError) as error:
        parse(text)
    said, shown, mark = str(error.value).split("\n")
    assert said.startswith(problem)
    assert shown == f"  {text}"
    assert mark == "  " + " " * position + "^"


def test_words_that_mean_nothing_are_answered_with_those_that_do() -> None:
    meaning = Meaning("newtom")
    with pytest.raises(ExpressionError, match=r"unknown refiner 'newtom'; did you mean newton\?"):
        meaning.choose(parse("newtom"), {"newton": 1, "craig": 2}, "refiner")
    with pytest.raises(ExpressionError, match="unknown refiner 'zzz'; known: newton, craig"):
        meaning.choose(parse("zzz"), {"newton": 1, "craig": 2}, "refiner")
    assert meaning.choose(parse("craig"), {"newton": 1, "craig": 2}, "refiner") == 2
    with pytest.raises(ExpressionError, match="craig takes neither arguments nor a value"):
        meaning.choose(parse("craig(z3)"), {"craig": 2}, "refiner")


@pytest.mark.parametrize("text", ["0", "x", "1e", "nan", "inf"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError, match="expected seconds"):
        Meaning(text).seconds(Word(text, 0))
    assert Meaning("2.5").seconds(parse("2.5")) == 2.5


def test_a_setting_is_said_once() -> None:
    words = [parse(text) for text in ("sp", "lv", "wp")]
    with pytest.raises(ExpressionError, match="wp contradicts or repeats sp"):
        Meaning("newton(sp, lv, wp)").once(words, lambda word: "direction" if word.name in ("sp", "wp") else word.name)
    Meaning("newton(sp, lv)").once(words[:2], lambda word: word.name)
