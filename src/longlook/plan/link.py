"""One emulated path: what a link driver is told."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from longlook.plan.arm import Cca, Protocol
from longlook.plan.trace import RATES, LinkTrace
from longlook.plan.value import Measure, Value, derived_seed, unstated

BITS_PER_BYTE = 8
LossDirection = Literal["down", "up"]
QueueDiscipline = Literal["codel", "fq_codel", "pie", "dualpi2"]
QUEUE_LIMITS: dict[QueueDiscipline, int] = {"codel": 1000, "fq_codel": 10_240, "pie": 1000, "dualpi2": 10_000}
"""Packets that a queue holds which manages itself: the kernel's defaults (tc-codel(8), tc-fq_codel(8), tc-pie(8),
tc-dualpi2(8))."""
TARGET_MS, INTERVAL_MS = 5.0, 100.0
"""Of CoDel, by the same."""
CONTROLLED: tuple[QueueDiscipline, ...] = ("pie", "dualpi2")
"""Those in which a proportional-integral controller holds the delay."""
CONTROLLED_TARGET_MS = 15.0
"""Of these (RFC 8033, RFC 9332)."""
MOST_CONTROLLED_MBPS = 100.0
"""Up to which they are calibrated: a stream of full packets that lasts until the controller has settled."""
WAYS: dict[LossDirection, str] = {"down": "server_to_client", "up": "client_to_server"}
"""What link drivers call each direction."""
REDRAW_MS = 100.0
"""Under jitter a new delay for each direction so often (thesis 3.3)."""
FRAME_BYTES = 1514
"""One full Ethernet frame: a shorter queue lets none pass."""
MOST_QUEUE_BYTES = 10**9
MOST_QUEUE_PACKETS = 100_000
"""Twelve seconds of full frames at 100 Mbit/s; dummynet's default is 50, netem's 1000."""
MOST_CORRELATION_PCT = 99.9
"""At 100 % netem's generator gives one number for ever."""
MOST_BURST_BYTES = 10**8
"""Eight times what Yu and Benson's scripts have; linkpipe keeps as much memory for it."""
LEAST_QUEUE_BYTES = 3000
"""Two full packets: what 2 x BDP comes to at the least."""


GEMODEL = ("gemodel_p_pct", "gemodel_r_pct", "gemodel_one_minus_h_pct", "gemodel_one_minus_k_pct")
"""All or none, in the order of netem's `loss gemodel`."""
CORRELATED = {
    "corrupt_correlation_pct": "corrupt_pct",
    "duplicate_correlation_pct": "duplicate_pct",
    "jitter_correlation_pct": "jitter_sd_ms",
}
"""What a correlation is of."""
CROSS = ("cross_flows", "cross_cca", "cross_protocol")
MOST_FLOWS = 16
NETEM = ("corrupt_pct", "duplicate_pct", *GEMODEL, "jitter_sd_ms", *CORRELATED)
"""What came after there were campaigns: netem's other parameters, each way."""
STEPS: dict[str, tuple[float, str]] = {
    **dict.fromkeys(("bandwidth_mbps", "upload_mbps"), (1e-6, "a bit per second")),
    **dict.fromkeys(("rtt_ms", "jitter_ms", "jitter_interval_ms", "jitter_sd_ms"), (1e-3, "a microsecond")),
    **dict.fromkeys(("loss_pct", "corrupt_pct", "duplicate_pct", *GEMODEL), (1e-4, "one packet in a million")),
}
"""In which links are set: finer ones come out the same, and nobody could measure the difference."""
LEAST_ARRIVING = 0.1
"""Of a direction's packets: of fewer no handshake gets through within its time-outs."""
SAME_STEP = 1e-3
"""Rounding of decimal fractions."""
SDS = 4
"""So many standard deviations off its mean a delay under normal jitter may be; one in 16,000 is further."""


def _each_way(description: str, most: float = 100) -> Any:
    return Field(default=None, gt=0, le=most, exclude_if=unstated, description=f"{description}, of each direction")


class Link(Value):
    """The rate is `bandwidth_mbps` in both directions; from the client to the server it is `upload_mbps`, where that is
    stated. A delay of each direction would not show: a page load sees the round trip.

    Loss and delay are split evenly over the two directions (thesis 3.2), so `loss_pct` and `rtt_ms` are of both
    together; whatever is named after netem's parameters is of each. The droptail queue of each direction is limited in
    bytes or in packets.

    With a `loss_direction` all of `loss_pct` is of that direction, and the other one loses nothing: `loss_pct = 2` with
    `"down"` loses each packet from the server to the client with a probability of 2 %.

    With `burst_bytes` a direction's rate is that of a token bucket (tc-tbf(8), tools/linkpipe/README.md): what an idle
    line has saved up passes at once. A load finds the bucket full.

    With a `trace` each direction passes packets when that has an opportunity, not at a rate; with `upload_trace` that
    from the client to the server has another one, with `upload_mbps` a rate. Rate, default queue and what is estimated
    by them are then the trace's mean.

    With a `queue_discipline` the queue of each direction manages itself: CoDel (RFC 8289) or FQ-CoDel (RFC 8290), with
    the kernel's defaults: a target of 5 ms, an interval of 100 ms, `QUEUE_LIMITS`, a quantum of a full frame, 1024
    flows; or PIE (RFC 8033) or DualPI2 (RFC 9332), with their RFCs' parameters: a target of 15 ms, for DualPI2 a
    coupling factor of 2 and a threshold of 1 ms. With `ecn` it marks the packets of senders that understand marks in
    place of dropping them, and TCP's hosts negotiate ECN (RFC 3168); DualPI2 does not do without.

    With `cross_flows` so many bulk flows run from the server to the client beside every load, by `cross_cca`,
    over TCP or, by `cross_protocol`, QUIC.
    They take part in which packets come when, so that no loss, delay or opportunity could be each load's own.

    A correlation is that of netem's generator, whose numbers crowd around the middle: `corrupt_pct = 1` with a
    correlation of 25 % corrupts two packets in a million (tools/linkpipe/README.md).
    """

    called = "a link"

    bandwidth_mbps: Measure = Field(ge=0.01, le=10_000, description="Mbit/s, each direction, or from the server alone")
    rtt_ms: Measure = Field(ge=0, le=10_000, description="ms, both directions together")
    upload_mbps: Measure | None = Field(
        default=None,
        ge=0.01,
        le=10_000,
        exclude_if=unstated,
        description="Mbit/s, from the client to the server; default: bandwidth_mbps",
    )
    loss_pct: Measure = Field(default=0.0, ge=0, lt=100, description="%, both directions together")
    loss_direction: LossDirection | None = Field(
        default=None,
        exclude_if=unstated,
        description="the only one that loses: down, from the server to the client, or up; default: half of it in each",
    )
    jitter_ms: Measure = Field(
        default=0.0, ge=0, le=10_000, description="ms, width of the uniform distribution of each one's delay"
    )
    jitter_interval_ms: Measure = Field(
        default=REDRAW_MS,
        ge=1,
        le=600_000,
        description="ms between two draws of the delays; a falling one comes in two half steps",
    )
    queue_bytes: int | None = Field(
        default=None, ge=FRAME_BYTES, le=MOST_QUEUE_BYTES, description="bytes, each direction; default: 2 x BDP"
    )
    queue_packets: int | None = Field(
        default=None,
        ge=1,
        le=MOST_QUEUE_PACKETS,
        exclude_if=unstated,
        description="packets, each direction; instead of queue_bytes",
    )
    burst_bytes: int | None = Field(
        default=None,
        ge=FRAME_BYTES,
        le=MOST_BURST_BYTES,
        exclude_if=unstated,
        description="bytes, each direction: a token bucket of that depth; default: none, a packet at a time",
    )
    trace: LinkTrace | None = Field(
        default=None,
        exclude_if=unstated,
        description="a file of links/ in place of bandwidth_mbps: of each direction, or from the server alone",
    )
    upload_trace: LinkTrace | None = Field(
        default=None, exclude_if=unstated, description="from the client to the server, in place of upload_mbps"
    )
    queue_discipline: QueueDiscipline | None = Field(
        default=None, exclude_if=unstated, description="of each direction, in place of droptail"
    )
    ecn: bool | None = Field(
        default=None,
        exclude_if=unstated,
        description="whether the queue discipline marks in place of dropping, and TCP negotiates that",
    )
    cross_flows: int | None = Field(
        default=None,
        ge=1,
        le=MOST_FLOWS,
        exclude_if=unstated,
        description="bulk flows, from the server to the client, that run beside every load",
    )
    cross_cca: Cca | None = Field(default=None, exclude_if=unstated, description="of these; default: cubic")
    cross_protocol: Protocol | None = Field(default=None, exclude_if=unstated, description="of these; default: tcp")
    corrupt_pct: Measure | None = _each_way("%, packets with a bit flipped, which their receiver drops")
    corrupt_correlation_pct: Measure | None = _each_way("%, netem's", MOST_CORRELATION_PCT)
    duplicate_pct: Measure | None = _each_way("%, packets that are sent twice")
    duplicate_correlation_pct: Measure | None = _each_way("%, netem's", MOST_CORRELATION_PCT)
    gemodel_p_pct: Measure | None = _each_way(
        "%, Gilbert-Elliott loss in place of loss_pct: from the good state to the bad"
    )
    gemodel_r_pct: Measure | None = _each_way("%, from the bad state to the good")
    gemodel_one_minus_h_pct: Measure | None = _each_way("%, loss in the bad state")
    gemodel_one_minus_k_pct: Measure | None = Field(
        default=None, ge=0, le=100, exclude_if=unstated, description="%, loss in the good state, of each direction"
    )
    jitter_sd_ms: Measure | None = _each_way(
        "ms, standard deviation of a normal distribution of every packet's delay, cut at 0, in place of jitter_ms",
        10_000,
    )
    jitter_correlation_pct: Measure | None = _each_way(
        "%, of the numbers that delays come from, which narrows them; netem's own table of the normal distribution "
        "loses it: leave it out to repeat one",
        MOST_CORRELATION_PCT,
    )

    @model_validator(mode="after")
    def _equal_rates_are_one(self) -> Self:
        for key, rate in RATES.items():
            trace, stated = getattr(self, key), getattr(self, rate)
            if trace is not None and stated != trace.mean_mbps:
                raise ValueError(f"{rate} = {stated} beside {key}, whose mean is {trace.mean_mbps}: leave {rate} out")
        if self.burst_bytes is not None and (self.trace or self.upload_trace):
            raise ValueError(f"burst_bytes = {self.burst_bytes} beside a trace, which has bursts of its own")
        if self.upload_mbps == self.bandwidth_mbps and self.upload_trace == self.trace:
            object.__setattr__(self, "upload_mbps", None)
            object.__setattr__(self, "upload_trace", None)
        return self

    @model_validator(mode="after")
    def _can_be_set(self) -> Self:
        for name, (step, words) in STEPS.items():
            steps = (getattr(self, name) or 0) / step
            if abs(steps - round(steps)) > SAME_STEP or 0 < steps < 1 - SAME_STEP:
                raise ValueError(f"{name} = {getattr(self, name)!r} is finer than links are set: in steps of {words}")
        if (most := max(one.longest_queue_bytes for one in self.both_ways)) > MOST_QUEUE_BYTES:
            raise ValueError(
                f"the queue would have {most:,} bytes, 2 x bandwidth x RTT: give queue_bytes, at most "
                f"{MOST_QUEUE_BYTES:,}"
            )
        return self

    @model_validator(mode="after")
    def _delay_is_never_negative(self) -> Self:
        if self.jitter_ms > self.rtt_ms:
            raise ValueError(
                f"jitter_ms = {self.jitter_ms:g} is more than rtt_ms = {self.rtt_ms:g}: a delay would be negative"
            )
        return self

    @model_validator(mode="after")
    def _one_model_of_loss_and_of_jitter(self) -> Self:
        stated = [name for name in GEMODEL if getattr(self, name) is not None]
        if stated and len(stated) < len(GEMODEL):
            raise ValueError(f"{', '.join(GEMODEL)} are stated together; here is {', '.join(stated)} only")
        if stated and self.loss_pct:
            raise ValueError(f"loss_pct = {self.loss_pct:g} beside gemodel: a link has one model of loss")
        if self.loss_direction is not None and not self.loss_pct:
            beside = "beside gemodel, which is of each direction" if stated else "without loss_pct: it is that one's"
            raise ValueError(f"loss_direction = {self.loss_direction} {beside}")
        if self.jitter_sd_ms is not None and self.jitter_ms:
            raise ValueError(f"jitter_ms = {self.jitter_ms:g} and jitter_sd_ms: a link has one model of jitter")
        for name, whose in CORRELATED.items():
            if getattr(self, name) is not None and getattr(self, whose) is None:
                raise ValueError(f"{name} without {whose}: it is that one's correlation")
        return self

    @model_validator(mode="after")
    def _one_limit_of_the_queue(self) -> Self:
        if self.queue_bytes is not None and self.queue_packets is not None:
            raise ValueError(
                f"queue_bytes = {self.queue_bytes} and queue_packets = {self.queue_packets}: a queue is limited in "
                "bytes or in packets, not in both"
            )
        return self

    @model_validator(mode="after")
    def _managed_as_a_whole(self) -> Self:
        if not self.ecn:
            object.__setattr__(self, "ecn", None)
        if self.queue_discipline is None:
            if self.ecn:
                raise ValueError("ecn = true without queue_discipline: a droptail queue marks nothing")
            return self
        if self.queue_discipline == "dualpi2" and not self.ecn:
            raise ValueError("queue_discipline = dualpi2 without ecn = true: its queue for L4S can only mark")
        most_mbps = max(one.bandwidth_mbps for one in self.both_ways)
        if self.queue_discipline in CONTROLLED and most_mbps > MOST_CONTROLLED_MBPS:
            raise ValueError(
                f"queue_discipline = {self.queue_discipline} at {most_mbps:g} Mbit/s: it is calibrated up to "
                f"{MOST_CONTROLLED_MBPS:g} Mbit/s"
            )
        for name in ("queue_bytes", "queue_packets"):
            if (size := getattr(self, name)) is not None:
                raise ValueError(
                    f"{name} = {size} beside queue_discipline = {self.queue_discipline}, which has a limit of its own: "
                    f"{self.queue_limit_packets} packets"
                )
        return self

    @model_validator(mode="after")
    def _crossed_by_what_it_says(self) -> Self:
        if self.cross_flows is None:
            for name in CROSS[1:]:
                if (stated := getattr(self, name)) is not None:
                    raise ValueError(f"{name} = {stated} without cross_flows: it is theirs")
            return self
        if self.cross_protocol == "tcp":
            object.__setattr__(self, "cross_protocol", None)  # as it is where nothing is said: one key, one meaning
        if self.cross_cca is None:
            object.__setattr__(self, "cross_cca", "cubic")
        drawn = {
            "a loss": self.loses,
            "jitter": self.swing_ms,
            "duplicate_pct": self.duplicate_pct,
            "a trace": self.trace or self.upload_trace,
            "burst_bytes": self.burst_bytes,
        }
        if found := [name for name, stated in drawn.items() if stated]:
            raise ValueError(f"cross_flows beside {found[0]}: what that does to a load would be the flows' matter too")
        return self

    @model_validator(mode="after")
    def _lets_packets_through(self) -> Self:
        for way, where in zip(WAYS.values(), WAYS, strict=True):
            arriving = (1 - self.loss_share(way)) * (1 - (self.corrupt_pct or 0) / 100)
            if arriving < LEAST_ARRIVING:
                raise ValueError(
                    f"{arriving:.1%} of the packets {where} would arrive whole, after losses and corrupt_pct: of less "
                    f"than {LEAST_ARRIVING:.0%} no connection comes up; lose or corrupt fewer"
                )
        return self

    @property
    def netem(self) -> dict[str, float]:
        """What is stated of netem's parameters."""
        return {name: value for name in NETEM if (value := getattr(self, name)) is not None}

    @property
    def plain(self) -> Link:
        """The same link without any of them, without jitter, bucket and cross traffic, at the mean rates of its traces,
        with droptail queues."""
        without = {"jitter_ms": 0.0, "burst_bytes": None, "queue_discipline": None, "ecn": None}
        return self.untraced.model_copy(update=without | dict.fromkeys((*NETEM, *CROSS)))

    @property
    def untraced(self) -> Link:
        """The same link at the mean rates of its traces."""
        return self.model_copy(update=dict.fromkeys(RATES)) if self.trace or self.upload_trace else self

    def trace_offset_ms(self, seed: int) -> int | None:
        """Where the clock of its traces stands when the link is given a seed: the same of both directions and of every
        load of that seed, anywhere in the longer trace; None without one."""
        periods = [one.period_ms for one in (self.trace, self.upload_trace) if one is not None]
        return derived_seed(seed, "trace") % max(periods) if periods else None

    def one_way(self, way: str) -> Link:
        """A link with the rate of one direction, and so with its default queue, in both."""
        if self.upload_mbps is None:
            return self
        up = way == WAYS["up"]
        own = {
            "bandwidth_mbps": self.upload_mbps if up else self.bandwidth_mbps,
            "trace": self.upload_trace if up else self.trace,
        }
        return self.model_copy(update=own | {"upload_mbps": None, "upload_trace": None})

    @property
    def both_ways(self) -> list[Link]:
        """The link of each direction."""
        return [self.one_way(way) for way in WAYS.values()]

    def loss_pct_of(self, way: str) -> float:
        """%, what is lost by `loss_pct` of the packets of one direction (`server_to_client`, `client_to_server`)."""
        if self.loss_direction is None:
            return self.loss_pct / 2
        return self.loss_pct if way == WAYS[self.loss_direction] else 0.0

    def loss_share(self, way: str) -> float:
        """Mean share of the packets of one direction that are lost (0 to 1); corrupted ones are not among them."""
        if self.gemodel_p_pct is None:
            return self.loss_pct_of(way) / 100
        p, r, bad, good = (getattr(self, name) / 100 for name in GEMODEL)
        return (p * bad + r * good) / (p + r)

    @property
    def loses(self) -> bool:
        """Whether packets do not arrive, or not as they were, although its queue has room."""
        return self.loss_pct > 0 or self.gemodel_p_pct is not None or self.corrupt_pct is not None

    @property
    def reorders(self) -> bool:
        """Whether every packet has a delay of its own, so that each may overtake the one before."""
        return self.jitter_sd_ms is not None

    @property
    def swing_ms(self) -> float:
        """By which the round trip of a packet may be longer or shorter than `rtt_ms`."""
        return self.jitter_ms + 2 * SDS * (self.jitter_sd_ms or 0)

    @property
    def slowest_ms(self) -> float:
        """What a round trip may take before a load begins: jitter, each direction's trace in its longest pause, and the
        queue that cross traffic fills."""
        pauses = sum(one.trace.longest_pause_ms for one in self.both_ways if one.trace is not None)
        return self.rtt_ms + self.swing_ms + pauses + (self.drain_s * 1e3 if self.cross_flows else 0)

    @property
    def share_mbps(self) -> float:
        """What a load has of the rate, if flows share it alike."""
        return self.bandwidth_mbps / (1 + (self.cross_flows or 0))

    @property
    def default_queue_bytes(self) -> int:
        """2 x bandwidth x RTT (thesis 3.2)."""
        return max(int(self.bandwidth_mbps * 1e6 * self.rtt_ms / 1e3 * 2 / BITS_PER_BYTE), LEAST_QUEUE_BYTES)

    @property
    def effective_queue_bytes(self) -> int | None:
        """Droptail queue of each direction, bytes: as given, else `default_queue_bytes`; None: it is limited in
        packets, or each direction has a default of its own."""
        sizes = {one.longest_queue_bytes for one in self.both_ways}
        return sizes.pop() if self.queue_limit_packets is None and len(sizes) == 1 else None

    @property
    def queue_limit_packets(self) -> int | None:
        """Most packets of each direction's queue; None: it is limited in bytes."""
        return self.queue_packets if self.queue_discipline is None else QUEUE_LIMITS[self.queue_discipline]

    @property
    def longest_queue_bytes(self) -> int:
        """What a full queue holds at the most, bytes: full frames where it is limited in packets. One that manages
        itself is hardly ever full: what the droptail queue would hold in whose place it stands."""
        if self.queue_packets is not None:
            return self.queue_packets * FRAME_BYTES
        return self.default_queue_bytes if self.queue_bytes is None else self.queue_bytes

    @property
    def drain_s(self) -> float:
        """A full queue's time to drain, of the direction that takes longer."""
        return max(one.longest_queue_bytes * BITS_PER_BYTE / (one.bandwidth_mbps * 1e6) for one in self.both_ways)

    def conditions(self) -> dict[str, float | int | None]:
        """Everything that defines it: an unstated queue is its default, an interval counts under jitter only."""
        own = {} if self.queue_discipline is None else {"queue_packets": self.queue_limit_packets}
        return (
            self.model_dump()
            | own
            | {
                "queue_bytes": self.effective_queue_bytes,
                "jitter_interval_ms": self.jitter_interval_ms if self.jitter_ms else None,
            }
        )

    @property
    def id_parts(self) -> list[str]:
        """Its part of a cell's id: `50mbps`, `36ms`, `1pct` (`1pctdown`) and, where they apply, `1mbpsup`,
        `50msjitter`, `50slots`, `burst12800000b`, `fq-codel-ecn`, `beside1cubic`."""
        loss = f"{self.loss_pct:g}pct{self.loss_direction or ''}"
        parts = [f"{self.bandwidth_mbps:g}mbps", f"{self.rtt_ms:g}ms", loss]
        if self.upload_mbps is not None:
            parts.append(f"{self.upload_mbps:g}mbpsup")
        if self.trace is not None:
            parts.append(self.trace.id_part)
        if self.upload_trace is not None:
            parts.append(f"{self.upload_trace.id_part}up")
        if self.jitter_ms:
            per = f"-per{self.jitter_interval_ms:g}ms" if self.jitter_interval_ms != REDRAW_MS else ""
            parts.append(f"{self.jitter_ms:g}msjitter{per}")
        if self.queue_packets is not None:
            parts.append(f"{self.queue_packets}slots")
        if self.burst_bytes is not None:
            parts.append(f"burst{self.burst_bytes}b")
        if self.queue_discipline is not None:
            parts.append(self.queue_discipline.replace("_", "-") + ("-ecn" if self.ecn else ""))
        if self.cross_flows is not None:
            parts.append(f"beside{self.cross_flows}{self.cross_protocol or ''}{self.cross_cca}")
        return parts + self._netem_id_parts()

    def _netem_id_parts(self) -> list[str]:
        """`1pctcorrupt`, `2pctduplicate-cor25`, `gemodel-1-50-100-0`, `5mssd`."""
        parts = [
            f"{share:g}pct{name}{_correlation('-cor{:g}', getattr(self, f'{name}_correlation_pct'))}"
            for name in ("corrupt", "duplicate")
            if (share := getattr(self, f"{name}_pct")) is not None
        ]
        if self.gemodel_p_pct is not None:
            parts.append("-".join(["gemodel", *(f"{getattr(self, name):g}" for name in GEMODEL)]))
        if self.jitter_sd_ms is not None:
            parts.append(f"{self.jitter_sd_ms:g}mssd{_correlation('-cor{:g}', self.jitter_correlation_pct)}")
        return parts

    def _netem_labels(self) -> list[str]:
        parts = []
        for name, words in (("corrupt", "corrupted"), ("duplicate", "duplicated")):
            if (share := getattr(self, f"{name}_pct")) is not None:
                cor = _correlation(" (correlation {:g} %)", getattr(self, f"{name}_correlation_pct"))
                parts.append(f"{share:g} % {words} each way{cor}")
        if self.gemodel_p_pct is not None:
            parts.append("gemodel " + " ".join(f"{getattr(self, name):g}" for name in GEMODEL) + " % each way")
        if self.jitter_sd_ms is not None:
            cor = _correlation(" (correlation {:g} %)", self.jitter_correlation_pct)
            parts.append(f"normal jitter {self.jitter_sd_ms:g} ms each way{cor}")
        return parts

    @property
    def label(self) -> str:
        """`50 Mbit/s, 36 ms, 1 % loss` (`5 Mbit/s down, 1 Mbit/s up, 28 ms`), and whatever else is not the usual."""
        up = "" if self.upload_mbps is None else f" down, {_rate(self.upload_mbps, self.upload_trace)} up"
        parts = [f"{_rate(self.bandwidth_mbps, self.trace)}{up}", f"{self.rtt_ms:g} ms"]
        if self.loss_pct:
            only = f" {self.loss_direction} only" if self.loss_direction else ""
            parts.append(f"{self.loss_pct:g} % loss{only}")
        if self.jitter_ms:
            every = f" every {self.jitter_interval_ms:g} ms" if self.jitter_interval_ms != REDRAW_MS else ""
            parts.append(f"{self.jitter_ms:g} ms jitter{every}")
        if self.queue_packets is not None:
            parts.append(f"queue {self.queue_packets} packets")
        elif self.effective_queue_bytes != self.model_copy(update={"queue_bytes": None}).effective_queue_bytes:
            parts.append(f"queue {self.effective_queue_bytes} bytes")
        if self.burst_bytes is not None:
            parts.append(f"burst {self.burst_bytes} bytes")
        if self.queue_discipline is not None:
            parts.append(self.queue_discipline + (" with ECN" if self.ecn else ""))
        if self.cross_cca is not None:
            several = "s" * (self.cross_flows != 1)
            over = (self.cross_protocol or "tcp").upper()
            parts.append(f"{self.cross_flows} flow{several} of {over} {self.cross_cca.upper()} beside")
        return ", ".join(parts + self._netem_labels())


def _rate(mbps: float, trace: LinkTrace | None) -> str:
    return f"{mbps:g} Mbit/s" if trace is None else f"trace {trace.name} ({mbps:g} Mbit/s on average)"


def _correlation(form: str, pct: float | None) -> str:
    return "" if pct is None else form.format(pct)
