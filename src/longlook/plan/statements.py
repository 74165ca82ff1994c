"""Predictions of a sweep, claims of a study: criteria with the sentence that they decide. Data, frozen and validated.

A sweep states its predictions before it is measured, and a study's `claims.toml` what the study is held to.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Self

from pydantic import Field, model_validator

from longlook.plan.criteria import Criterion, Judging
from longlook.plan.value import Many, Name, PlanError, Text, Value


class Prediction(Criterion):
    """What a sweep foretells, one row of its table; those of one `n` are parts of one sentence of its head."""

    n: int = Field(ge=1, le=99)
    says: Text
    earlier: Criterion | None = Field(
        default=None, description="by which it was judged when its criterion was not yet that of its words: told beside"
    )

    @model_validator(mode="after")
    def _has_a_number(self) -> Self:
        if not numbers_in(self.says):
            raise ValueError(f"{self.says!r} has no number: what is predicted, and by how much?")
        return self


class Claim(Criterion):
    """What a study says, and the criterion that this book holds it to."""

    id: Name
    about: Name | None = Field(default=None, description="a chapter's subject, where several show those of a study")
    says: Text
    criterion: Text
    parts: int = Field(ge=1, description="so many it has where everything is measured")


class Undecided(Value):
    """What a study says and nothing here decides."""

    id: Text = Field(default="", description="none: of a study that numbers none")
    about: Name | None = None
    says: Text
    why: Text


WORDS = {
    "once": 1, "one": 1, "two": 2, "twice": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "half": 0.5, "quarter": 0.25, "hundred": 100,
}  # fmt: skip


def numbers_in(text: str) -> list[float]:
    """Every number of a sentence, written in digits or as a word."""
    words = text.replace("\N{MINUS SIGN}", "-").replace(",", "").split()
    found = []
    for word in words:
        bare = word.strip("().;:%").lower()
        if bare in WORDS:
            found.append(float(WORDS[bare]))
        else:
            try:
                found.append(float(bare))
            except ValueError:
                continue
    return found


class Criteria(Value):
    """All that decides what becomes of a sweep's predictions, and their words: what a campaign seals."""

    judging: Judging
    predictions: Many[Prediction]

    def plain(self) -> dict[str, Any]:
        """As plain data, which `parse` reads back."""
        return self.model_dump(mode="json", exclude_unset=True)

    @property
    def digest(self) -> str:
        """SHA-256 of it."""
        return hashlib.sha256(json.dumps(self.plain(), sort_keys=True, ensure_ascii=False).encode()).hexdigest()


class Claims(Value):
    """`claims.toml` of a study."""

    judging: Judging = Judging()
    claims: Many[Claim] = Field(min_length=1)
    undecided: Many[Undecided] = ()

    def those(self, about: str | None) -> Claims:
        """The claims of one chapter's subject; all where none is named."""
        own = (tuple(one for one in some if about in (None, one.about)) for some in (self.claims, self.undecided))
        return self.model_copy(update=dict(zip(("claims", "undecided"), own, strict=True)))

    def by(self, quantity: str) -> Claims:
        """The same claims, those of which of two arms is significantly less by this quantity of the two."""
        stated = {"quantity": quantity}
        claims = (one.model_copy(update=stated if one.significant and one.over is None else {}) for one in self.claims)
        return self.model_copy(update={"claims": tuple(claims)})

    def by_holm(self) -> Claims:
        """Those claims that count significant differences of means, with Holm's correction over each part."""
        own = [one.model_copy(update={"holm": True}) for one in self.claims if one.counts_tests]
        return self.model_copy(update={"claims": tuple(own)})

    @model_validator(mode="after")
    def _can_be_judged(self) -> Self:
        ids = [one.id for one in self.claims]
        if twice := sorted({one for one in ids if ids.count(one) > 1}):
            raise ValueError(f"two claims are called {', '.join(twice)}")
        for one in self.claims:
            try:
                list(one.leaves(self.judging))
            except PlanError as error:
                raise ValueError(f"{one.id}: {error}") from None
        return self
