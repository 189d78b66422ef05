"""What tests share: how many examples a random test runs (here), and random terms, values and models (`terms`)."""

from __future__ import annotations

import os

from hypothesis import settings

# CRATON_FUZZ=N runs N times as many examples of every random test, with another seed each time.
FUZZ = int(os.environ.get("CRATON_FUZZ", "0"))


def examples(count: int) -> settings:
    """Settings of a random test that needs `count` examples in an ordinary run."""
    return settings(max_examples=count * max(1, FUZZ))
