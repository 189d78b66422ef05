"""Format 1: one inductive annotation, found with one solver. It is still read, as it always was: fields that it does
not know are skipped.
"""

from __future__ import annotations

from craton.evidence.certificates.fields import Fields, one_for_each_location
from craton.evidence.certificates.format import Certificate, Claim, Declared, Invariants
from craton.evidence.certificates.task import read_task
from craton.verdicts.provenance import Provenance

VERSION = 1


def certificate(fields: Fields) -> Certificate:
    symbols = tuple(
        Declared(entry.text("symbol"), entry.text("name"), entry.texts("parameters"), entry.text("sort"))
        for entry in fields.objects("symbols")
    )
    about = read_task(fields.object("program"))
    claims = tuple(Claim(entry.number("location"), entry.text("formula")) for entry in fields.objects("invariants"))
    one_for_each_location(claim.location for claim in claims)
    solver = fields.object("found_by").text("solver")
    found_by = Provenance("", solvers=(solver,) if solver else ())
    proof = Invariants(fields.number_or_none("blocks"), claims)
    return Certificate(fields.text("craton"), about, found_by, symbols, (), proof)
