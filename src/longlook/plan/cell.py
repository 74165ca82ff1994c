"""A cell: one condition with the arms that are compared under it, and everything that defines how it is measured."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import combinations
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from longlook.plan import naming
from longlook.plan.arm import Arm
from longlook.plan.link import BITS_PER_BYTE, Link
from longlook.plan.offer import PAGE_KINDS
from longlook.plan.value import CellId, Many, Measure, Name, Text, Value, checked_name
from longlook.plan.workload import AnyWorkload

Mode = Literal["interleaved", "together"]
"""Of the arms: one after the other, sample by sample, in a random order; or all at once over the same link."""
KEY_DIGITS = 16
MOST_SECONDS = 3600
"""At the link's rate, without any loss: a sample takes no longer than an hour."""
PAIR = 2
MOST_REPEATS_PER_LOAD = 3
"""A rejected or disturbed load is repeated; over a cell at most this many times the loads asked for."""
MOST_REQUESTS = 2_000_000
"""Of a cell, with repeats: some 300 bytes are kept of each, and no record of more than 1 GB is read
(record/samples.py)."""
MOST_LABEL = 80
MOST_ARMS = 48
"""Each interleaved one has a client of its own, which runs while the cell does."""


class Cell(Value):
    """`study`, `series` and `label` say what a cell is measured for and are no conditions; nor are `seed`, `loads` and
    `replicate`, which draw the samples. The rest is, and `key` is its digest."""

    called = "a cell"

    study: Name
    series: Name = Field(description="what one figure shows")
    label: Text = Field(
        default="", max_length=MOST_LABEL, description="what the study calls these arms together: `QUIC vs TCPx2`"
    )
    experiment: Name
    mode: Mode = "interleaved"
    arms: Many[Arm] = Field(min_length=1, max_length=MOST_ARMS)
    workload: AnyWorkload
    link: Link
    duration_s: Measure | None = Field(
        default=None, gt=0, le=600, description="of a transfer; None: until all is loaded"
    )
    at_most_s: Measure | None = Field(
        default=None, gt=0, le=600, description="ends a transfer that is not over by then; None: that is a failure"
    )
    control: bool = Field(default=False, description="the arms are equals, measured as if they were not (A/A)")
    loads: int = Field(default=20, ge=1, le=1000, description="analysed samples per arm")
    replicate: int = Field(default=0, ge=0, lt=1000, description="tells repeated equal cells of one sweep apart")
    seed: int = Field(default=1, ge=0, lt=2**63)
    id: CellId | Literal[""] = Field(default="", description="folder name, unique within a sweep; made if empty")

    @model_validator(mode="after")
    def _named(self) -> Self:
        """Give the arms their names and the cell its id, where they have none."""
        names = self._names()
        arms = tuple(
            arm.model_copy(update={"name": arm.name or name}) for arm, name in zip(self.arms, names, strict=True)
        )
        twice = sorted({arm.name for arm in arms if [one.name for one in arms].count(arm.name) > 1})
        if twice:
            raise ValueError(f"two arms are called {', '.join(twice)}: give each a `name` of its own")
        object.__setattr__(self, "arms", arms)
        if not self.id:
            object.__setattr__(self, "id", checked_name(self.made_id, "cell"))
        self._require_an_end()
        self._require_room()
        self._require_a_race()
        self._require_a_page()
        return self

    def _require_a_race(self) -> None:
        """Where TCP wins the race, its load is rejected: under loss those would be QUIC's unlucky ones."""
        if not any(arm.learns for arm in self.arms):
            return
        if self.link.loses or self.mode == "together":
            raise ValueError("discovery = 'alt-svc' is of arms that take turns, on a link without loss")
        if self.workload.kind == "site" and self.workload.requests == 1:
            raise ValueError(
                "discovery = 'alt-svc' needs a site that has a file beside its page: by that HTTP/3 is learnt"
            )

    def _require_a_page(self) -> None:
        """What a download's connection carries, and a film's server, is held against the link's counters as a whole."""
        if self.link.cross_flows and (self.mode == "together" or self.workload.kind not in PAGE_KINDS):
            raise ValueError("cross_flows is of pages and sites, whose arms take turns")

    def _require_an_end(self) -> None:
        seconds = self.workload.total_bytes * BITS_PER_BYTE / 1e6 / self.link.bandwidth_mbps
        ends = self.duration_s or self.at_most_s
        if not ends and seconds > MOST_SECONDS:
            raise ValueError(
                f"{self.workload.label} at {self.link.bandwidth_mbps:g} Mbit/s takes {seconds:.0f} s at the least, for "
                f"one sample: at most {MOST_SECONDS} s"
            )

    def _require_room(self) -> None:
        """Each request is told of in a cell's record, which is read as a whole."""
        repeats = MOST_REPEATS_PER_LOAD * self.loads * self.repeated_together
        tries = len(self.arms) * (1 + self.loads) + repeats
        if (number := tries * self.workload.requests) > MOST_REQUESTS:
            raise ValueError(
                f"up to {number:,} requests in one cell, in {len(self.arms)} arms of {self.loads} loads of "
                f"{self.workload.requests}: its record could not be read again; at most {MOST_REQUESTS:,}, with fewer "
                "loads, objects or arms"
            )

    @property
    def repeated_together(self) -> int:
        """Loads of one number that are repeated together: both of a pair. With more arms one load would have all others
        measured again; of 32 arms half of all numbers have a load that is rejected."""
        return PAIR if len(self.arms) == PAIR and self.mode == "interleaved" else 1

    def _names(self) -> list[str]:
        same = len({arm.condition_text for arm in self.arms}) < len(self.arms)
        if self.mode == "together":
            if self.control:
                raise ValueError("control is for interleaved arms")
            return naming.together_names(self.arms)
        if self.control:
            if len({arm.condition_text for arm in self.arms}) > 1 or len(self.arms) < 2:
                raise ValueError("control = true is for two or more arms that are the same; these differ")
            return naming.control_names(self.arms)
        if same:
            raise ValueError("two arms ask for the same thing: say control = true if they are a control (A/A)")
        names = naming.interleaved_names(self.arms)
        return names if names is not None else [str(number) for number in range(len(self.arms))]

    @property
    def made_id(self) -> str:
        """The id that follows from what it is."""
        head = [self.series, *naming.arms_part(self.arms)]
        if self.label:
            head = [*head[:2], naming.slug(self.label)]
        parts = [*head, self.workload.id_part, *self.link.id_parts]
        if not self.label:
            parts += naming.unusual_parts(self.arms)
        if self.replicate:
            parts.append(f"r{self.replicate}")
        return naming.shortened("_".join(parts).replace(" ", "-"))  # a controller is `not told`

    def conditions(self) -> dict[str, Any]:
        """Everything that defines how it is measured, as plain data: two cells are the same where these are equal. The
        order of the arms and their names are none of it."""
        return {
            "experiment": self.experiment,
            "mode": self.mode,
            "link": self.link.conditions(),
            "workload": self.workload.model_dump(mode="json"),
            "arms": sorted((arm.conditions() for arm in self.arms), key=lambda one: json.dumps(one, sort_keys=True)),
            "duration_s": self.duration_s,
            "at_most_s": self.at_most_s,
        }

    @property
    def key(self) -> str:
        """Digest of `conditions`."""
        text = json.dumps(self.conditions(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]

    @property
    def arm_names(self) -> tuple[str, ...]:
        return tuple(arm.name for arm in self.arms)

    def arm(self, name: str) -> Arm:
        """The arm of that name."""
        return next(arm for arm in self.arms if arm.name == name)

    def with_arms(self, protocol: str, **conditions: Any) -> Self:
        """The same cell with other conditions of its arms of a protocol."""
        arms = tuple(arm.model_copy(update=conditions) if arm.protocol == protocol else arm for arm in self.arms)
        return self.model_copy(update={"arms": arms})

    @property
    def stacks(self) -> list[str]:
        """Every stack that it needs, each once."""
        return list(dict.fromkeys(arm.stack for arm in self.arms))

    def pairs(self) -> Iterator[tuple[Arm, Arm]]:
        """What its contrasts compare: each arm with each that comes after it."""
        return combinations(self.arms, 2)

    @property
    def full_label(self) -> str:
        """`100 KB x 10, 50 Mbit/s, 36 ms, 1 % loss`, and whatever else about it is not the usual; its label first."""
        text = f"{self.workload.label}, {self.link.label}"
        if self.label:
            return f"{self.label}, {text}" + (f", {self.duration_s:g} s" if self.duration_s else "")
        usual = [arm.protocol for arm in self.arms] == ["quic", "tcp"]
        plain = usual and all(
            arm.label in ("QUIC CUBIC, N = 2", "TCP CUBIC") and arm.stack == self.arms[0].stack for arm in self.arms
        )
        return text if plain else f"{text}, {' against '.join(arm.label for arm in self.arms)}"
