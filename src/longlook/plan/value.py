"""The base of all value objects: frozen, no unknown key, one readable message for every mistake."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from longlook.errors import LonglookError, plain


class PlanError(LonglookError, ValueError):
    """A cell, link, workload, arm or sweep that cannot be measured; the message says what to change."""


WORDS: dict[str, str] = {}
"""Pattern -> what a user is told of it."""


def worded(pattern: str, words: str, **more: Any) -> Any:
    """The field of a text that fits `pattern`; where one does not, `words` say what would."""
    WORDS[pattern] = words
    return Field(pattern=pattern, **more)


def capitalised(text: str) -> str:
    """With a capital at its beginning, and all others as they are."""
    return text[:1].upper() + text[1:]


def listed(value: Any) -> Any:
    """One value where a list is wanted is a list of one."""
    return value if value is None or isinstance(value, list | tuple) else [value]


MOST_DIGITS = 6


def _as_shown(value: float) -> float:
    """Ids, labels and tables show six digits: what differs by less would be two conditions of one name."""
    if float(f"{value:.{MOST_DIGITS}g}") != value:
        raise ValueError(f"{value!r} has more than {MOST_DIGITS} digits, which no emulator tells apart: round it")
    return value + 0.0  # no -0.0, which has another key


Item = TypeVar("Item")
Many = Annotated[tuple[Item, ...], Field(strict=False), BeforeValidator(listed)]
"""Of these; TOML and JSON have lists for them."""
OneOrMore = Annotated[list[Item], Field(min_length=1), BeforeValidator(listed)]
"""The same of what a sweep's cells are the product of."""
Measure = Annotated[float, AfterValidator(_as_shown)]
"""A condition that is a number."""
NAME_WORDS = "letters, digits, '.', '_' and '-', a letter or digit first"
Name = Annotated[str, worded(r"^[A-Za-z0-9][A-Za-z0-9._-]*$", NAME_WORDS, max_length=120)]
"""Of studies, sweeps, series, stacks and adapters; they become parts of paths."""
LONGEST_ID = 200
CellId = Annotated[
    str, worded(r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", NAME_WORDS.replace("and", "'+' and", 1), max_length=LONGEST_ID)
]
"""A folder's name; an interrupted cell's is longer by a time."""
CampaignId = Annotated[str, worded(r"^[A-Za-z0-9][A-Za-z0-9._-]*$", NAME_WORDS, max_length=200)]
Text = Annotated[
    str,
    worded(
        r"^[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]*$",
        "one line, without characters that steer a terminal or turn the direction of writing",
        max_length=300,
    ),
]
"""For readers, on one line: without characters that steer a terminal or turn the direction of writing."""


class Value(BaseModel):
    """Frozen; NaN, infinity and unknown keys are errors. Numbers are numbers and booleans booleans: neither `true` nor
    "50" is a bandwidth."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)
    called: ClassVar[str] = ""
    """For messages: `an arm`."""
    short: ClassVar[tuple[str, ...]] = ()
    """Keys of a file that become others before they are validated."""

    @model_validator(mode="before")
    @classmethod
    def _only_known_keys(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and (wrong := unknown_keys(cls, data)):
            raise ValueError(wrong)
        return data

    @classmethod
    def require_known(cls, data: Mapping[str, Any], where: str = "") -> None:
        """Raise `PlanError` for a key that such an object of a file cannot have."""
        if wrong := unknown_keys(cls, data, cls.short):
            raise PlanError(f"{where}{wrong}")

    @classmethod
    def parse(cls, data: Any) -> Self:
        """Validate plain data (from TOML, YAML or JSON); raise `PlanError` listing every mistake."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise PlanError(f"{cls.__name__} is not valid: {'; '.join(_mistakes(error))}") from None
        except RecursionError:
            raise PlanError(f"{cls.__name__} is not valid: it is nested too deeply") from None


def unknown_keys(model: type[BaseModel], data: Mapping[str, Any], more: Sequence[str] = ()) -> str | None:
    """Keys that a table cannot have, each with the nearest that it can, and all of these; None where there are none.
    `more`: keys besides the model's own."""
    fields = [field.alias or name for name, field in model.model_fields.items()]
    unknown = [key for key in data if key not in fields and key not in more]
    if not unknown:
        return None
    known = [*fields, *(key for key in getattr(model, "short", ()) if key not in fields)]
    each = ", ".join(f"{plain(str(key)[:80])}{nearest(key, known)}" for key in unknown[:MOST_MISTAKES])
    called = f" of {model.called or model.__name__}" if issubclass(model, Value) else ""
    return f"unknown key {each}; known keys{called}: {', '.join(known)}"


def nearest(wrong: object, known: Iterable[str]) -> str:
    """` (did you mean rtt_ms?)`; nothing where no known word is near."""
    found = difflib.get_close_matches(str(wrong)[:80], list(known), n=1)
    return f" (did you mean {found[0]}?)" if found else ""


def mistake(item: Mapping[str, Any]) -> str:
    """One of pydantic's errors, as a user is told it."""
    context = item.get("ctx", {})
    match item["type"]:
        case "value_error":
            return str(context["error"])
        case "string_pattern_mismatch":
            return f"{ascii(item['input'])[:80]} should be {WORDS.get(context['pattern'], 'written otherwise')}"
        case "union_tag_invalid":
            known = [word.strip(" '") for word in context["expected_tags"].split(",")]
            key, tag = context["discriminator"].strip("'"), str(context["tag"])[:80]
            return f"{key} = {tag!r} is none of {', '.join(known)}{nearest(tag, known)}"
        case "too_short":
            return f"at least {context['min_length']} is wanted, {context['actual_length']} given"
        case "literal_error":
            return f"{item['msg']}, not {ascii(item['input'])[:80]}"
    return item["msg"]


def _mistakes(error: ValidationError) -> list[str]:
    """A line for each; of many the first ones."""
    lines = []
    items = error.errors(include_url=False)
    wrong = {item["loc"][:-1] for item in items}
    for item in items:
        if item["type"] == "too_short" and item["loc"] in {one[: len(item["loc"])] for one in wrong}:
            continue  # it has some, and what is wrong with those is told
        where = ".".join(str(part) for part in item["loc"])[:200]
        lines.append(f"{where}: {mistake(item)}" if where else mistake(item))
    rest = len(lines) - MOST_MISTAKES
    return [*lines[:MOST_MISTAKES], f"and {rest} more"] if rest > 0 else lines


MOST_MISTAKES = 10
_NAMES: Mapping[str, TypeAdapter] = {
    "thing": TypeAdapter(Name),
    "campaign": TypeAdapter(CampaignId),
    "cell": TypeAdapter(CellId),
}
"""Of everything else a `Name`."""


def checked_name(text: Any, what: str = "thing") -> str:
    """`text`, if it may become part of a path; `what`: campaign, cell, stack, ..."""
    try:
        return _NAMES.get(what, _NAMES["thing"]).validate_python(text, strict=True)
    except ValidationError:
        raise PlanError(f"{ascii(text)[:80]} cannot name a {what}: {NAME_WORDS}") from None


def unstated(value: object) -> bool:
    """`exclude_if` of fields that came after there were campaigns: what does not state them is, to the byte, what it
    was, and so are the keys of cells."""
    return value is None


def derived_seed(*parts: object) -> int:
    """A 63-bit seed that depends on nothing but `parts` (BLAKE2b of their text)."""
    text = "\x1f".join(str(part) for part in parts).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 1
