"""What is loaded: a page with its objects, a page that is looked at, files, or a film that is played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from longlook.plan.recorded import RecordedSite
from longlook.plan.value import Many, Value

MOST_BYTES = 10**10
"""Of all objects of a workload together: they are written to the disk before the first load."""
LEAST_IMAGE_BYTES = 200
"""A smaller JPEG could not be made exact to the byte (site/jpeg.py)."""


MOST_OBJECTS = 10_000


def bytes_of_kb(size_kb: int) -> int:
    """1024 bytes per KB below 1 MB, 1,000,000 per MB from there (the thesis's public workloads)."""
    return size_kb * 1000 if size_kb >= 1000 else size_kb * 1024


def kb_of_bytes(size: int) -> int | None:
    """The inverse: 5 of 5120, 1000 of 1,000,000; None of what is no whole number of KB."""
    unit = 1000 if size >= 1_000_000 else 1024
    return size // unit if size % unit == 0 else None


def size_label(size: int) -> str:
    """`5 KB`, `1 MB`, `10068 bytes`."""
    kb = kb_of_bytes(size)
    if kb is None:
        return f"{size} bytes"
    return f"{kb / 1000:g} MB" if kb >= 1000 else f"{kb} KB"


def _id_of(size: int) -> str:
    kb = kb_of_bytes(size)
    return f"{size}b" if kb is None else f"{kb}kb"


def _from_kb(data: Any, field: str) -> Any:
    """`size_kb` is another way to write `field`, in the thesis's units."""
    if isinstance(data, Mapping) and "size_kb" in data:
        kb = data["size_kb"]
        if not isinstance(kb, int) or isinstance(kb, bool) or not 0 < kb <= 1_000_000:
            raise ValueError(f"size_kb = {kb!r}: a whole number of KB from 1 to 1,000,000")
        if field in data:
            raise ValueError(f"size_kb and {field} are two ways to say the same: give one")
        return {key: value for key, value in data.items() if key != "size_kb"} | {field: bytes_of_kb(kb)}
    return data


def _require_bounded(workload: Page | Download) -> None:
    if workload.total_bytes > MOST_BYTES:
        raise ValueError(
            f"{workload.total_bytes} bytes in all: at most {MOST_BYTES}, since they are written to the disk"
        )
    if workload.object_count > MOST_OBJECTS:
        raise ValueError(f"{workload.object_count} objects in all: at most {MOST_OBJECTS}")


class Objects(Value):
    """Objects of one kind and size within a page."""

    called = "objects"
    short: ClassVar[tuple[str, ...]] = ("size_kb",)

    size_bytes: int = Field(ge=LEAST_IMAGE_BYTES, le=MOST_BYTES, description="of each; in a file also `size_kb`")
    count: int = Field(default=1, gt=0, le=MOST_OBJECTS)
    kind: Literal["image"] = "image"

    @model_validator(mode="before")
    @classmethod
    def _kb(cls, data: Any) -> Any:
        return _from_kb(data, "size_bytes")


class Page(Value):
    """An HTML page that references its objects; `{ size_kb = 5, count = 2 }` is short for one kind of them."""

    called = "a page"
    short: ClassVar[tuple[str, ...]] = ("size_kb", "size_bytes", "count")

    kind: Literal["page"] = "page"
    objects: Many[Objects] = Field(min_length=1, max_length=100)

    @model_validator(mode="before")
    @classmethod
    def _short(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and "objects" not in data:
            own = {key: data[key] for key in ("size_kb", "size_bytes", "count") if key in data}
            rest = {key: value for key, value in data.items() if key not in own}
            return rest | {"objects": [own]}
        return data

    @model_validator(mode="after")
    def _fits_a_disk(self) -> Self:
        _require_bounded(self)
        return self

    @property
    def object_count(self) -> int:
        """Objects besides the page itself."""
        return sum(one.count for one in self.objects)

    @property
    def total_bytes(self) -> int:
        """Bytes of all objects; the page itself is not among them."""
        return sum(one.count * one.size_bytes for one in self.objects)

    @property
    def object_bytes(self) -> int | None:
        """Bytes of each object; None where they differ."""
        sizes = {one.size_bytes for one in self.objects}
        return sizes.pop() if len(sizes) == 1 else None

    @property
    def requests(self) -> int:
        """Requests per load: the page and its objects."""
        return 1 + self.object_count

    @property
    def id_part(self) -> str:
        """`100kb-x10`; of several sizes `5kb-x20-100kb-x2`."""
        return "-".join(f"{_id_of(one.size_bytes)}-x{one.count}" for one in self.objects)

    @property
    def label(self) -> str:
        """`100 KB x 10`."""
        return " and ".join(f"{size_label(one.size_bytes)} x {one.count}" for one in self.objects)


class Download(Value):
    """Files that are fetched without a page: one, or several in parallel on one connection."""

    called = "a download"
    short: ClassVar[tuple[str, ...]] = ("size_kb",)

    kind: Literal["download"] = "download"
    size_bytes: int = Field(gt=0, le=MOST_BYTES, description="of each file; in a file also `size_kb`")
    count: int = Field(default=1, gt=0, le=1000, description="files fetched in parallel")

    @model_validator(mode="before")
    @classmethod
    def _kb(cls, data: Any) -> Any:
        return _from_kb(data, "size_bytes")

    @model_validator(mode="after")
    def _fits_a_disk(self) -> Self:
        _require_bounded(self)
        return self

    @property
    def object_count(self) -> int:
        return self.count

    @property
    def total_bytes(self) -> int:
        """Bytes of all files."""
        return self.size_bytes * self.count

    @property
    def object_bytes(self) -> int:
        """Bytes of each file."""
        return self.size_bytes

    @property
    def requests(self) -> int:
        """Requests per download."""
        return self.count

    @property
    def id_part(self) -> str:
        """`download-1000kb-x1`."""
        return f"download-{_id_of(self.size_bytes)}-x{self.count}"

    @property
    def label(self) -> str:
        """`download of 1 MB`."""
        return f"download of {size_label(self.size_bytes)}" + (f" x {self.count}" if self.count > 1 else "")


LEAST_RESOURCE_BYTES = 3000
"""Of a web page's resources on average: its text has to name them, and none of them is empty."""


class WebPage(Value):
    """A page that has something to look at: text, style sheets, scripts, fonts and images (site/webpage.py)."""

    called = "a webpage"

    kind: Literal["webpage"] = "webpage"
    size_bytes: int = Field(gt=0, le=MOST_BYTES, description="of all resources together, the document among them")
    resources: int = Field(ge=10, le=1000, description="the document among them")

    @model_validator(mode="after")
    def _has_room(self) -> Self:
        if self.size_bytes < LEAST_RESOURCE_BYTES * self.resources:
            raise ValueError(
                f"{self.resources} resources in {self.size_bytes} bytes: at least {LEAST_RESOURCE_BYTES} for each"
            )
        return self

    @property
    def object_count(self) -> int:
        """Objects besides the document."""
        return self.resources - 1

    @property
    def total_bytes(self) -> int:
        """Bytes of all resources, the document's too."""
        return self.size_bytes

    @property
    def object_bytes(self) -> None:
        """They differ."""
        return None

    @property
    def requests(self) -> int:
        """Requests per load."""
        return self.resources

    @property
    def id_part(self) -> str:
        """`webpage-450888b-x18`."""
        return f"webpage-{_id_of(self.size_bytes)}-x{self.resources}"

    @property
    def label(self) -> str:
        """`web page of 0.45 MB, 18 resources`."""
        return f"web page of {self.size_bytes / 1e6:.2f} MB, {self.resources} resources"


FILM_KBPS = (145, 365, 730, 1100, 2000, 3000)
"""Bitrates that a film is offered in."""
SEGMENT_S = 2
MOST_FILM_S = 180


class Video(Value):
    """A film in segments, each in several bitrates, that a player chooses from and plays for its length
    (site/video.py)."""

    called = "a video"

    kind: Literal["video"] = "video"
    duration_s: int = Field(ge=2 * SEGMENT_S, le=MOST_FILM_S, multiple_of=SEGMENT_S, description="of the film")

    @property
    def segments(self) -> int:
        """Of each bitrate."""
        return self.duration_s // SEGMENT_S

    @property
    def object_count(self) -> int:
        """Files besides the manifest: of each bitrate its segments and what they have in common."""
        return len(FILM_KBPS) * (1 + self.segments)

    @property
    def total_bytes(self) -> int:
        """Of all bitrates together, as they are named; a player loads a part of them."""
        return sum(FILM_KBPS) * 125 * self.duration_s

    @property
    def object_bytes(self) -> None:
        """They differ."""
        return None

    @property
    def requests(self) -> int:
        """Files that can be asked for."""
        return 1 + self.object_count

    @property
    def id_part(self) -> str:
        """`video-60s`."""
        return f"video-{self.duration_s}s"

    @property
    def label(self) -> str:
        """`film of 60 s`."""
        return f"film of {self.duration_s} s"


def _kind_of(data: Any) -> Any:
    """A workload that does not say what it is, is a page."""
    return {"kind": "page"} | dict(data) if isinstance(data, Mapping) else data


Workload = Page | Download | WebPage | RecordedSite | Video
"""Each by its `kind`."""
AnyWorkload = Annotated[Annotated[Workload, Field(discriminator="kind")], BeforeValidator(_kind_of)]
"""As a sweep's file has it."""
