"""The places of what has a name: variables, functions, results and extra arguments of functions."""

from __future__ import annotations

from craton.frontends.c.memory.places import Place, Places, find
from craton.frontends.c.syntax.nodes import Function, Variable


class NamedPlaces:
    """Each place is made when it is first asked for."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._variables: dict[Variable, Place] = {}
        self._functions: dict[str, Place] = {}
        self._returns: dict[str, Place] = {}
        self._variadic: dict[str, Place] = {}

    def of_variable(self, variable: Variable) -> Place:
        place = self._variables.get(variable)
        if place is None:
            place = self._variables[variable] = self._places.new(variable.name)
        return find(place)

    def of_return(self, function: Function) -> Place:
        place = self._returns.get(function.symbol)
        if place is None:
            place = self._returns[function.symbol] = self._places.new(f"{function.name}()")
        return find(place)

    def of_variadic(self, function: Function) -> Place:
        """The area where a variadic function's extra arguments stand."""
        place = self._variadic.get(function.symbol)
        if place is None:
            place = self._variadic[function.symbol] = self._places.new(f"{function.name}...")
        return find(place)

    def of_function(self, function: Function) -> Place:
        place = self._functions.get(function.symbol)
        if place is None:
            place = self._functions[function.symbol] = self._places.new(function.name)
            place.functions[function.symbol] = function
        return find(place)
