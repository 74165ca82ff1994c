"""One HTML block per chart: the specification and its data inline, a static picture, and downloads.

No network: the page's script (book/_static/longlook.js) draws the chart with the Vega bundle that the build
writes beside it. The static picture is there first; the script hides it only once the live chart stands, so
it also serves readers without scripts and print.
"""

from __future__ import annotations

import base64
import csv
import html
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote

import altair as alt

from longlook.figure import style
from longlook.figure.converted import converted

VEGALITE = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
"""Vega-Lite version (major.minor) that Altair writes and vl-convert renders and bundles."""

WHITE = {"background": "white"}
"""Pictures have a ground of their own: they are also shown on dark pages."""


@dataclass(frozen=True)
class Attachment:
    """A file offered beside a chart: a CSV, unless its type says otherwise."""

    name: str
    csv: str
    media: Literal["text/csv", "application/json"] = "text/csv"


@dataclass(frozen=True, repr=False)
class LiveChart:
    """A chart for the book; notebooks show it by being a cell's last value.

    `payload` is data for the script beyond the chart itself (the loads and facts of each square, and the
    chart in which to draw them); `alt_text` says in words what the chart shows; `narrow` is the same chart for
    phones, from the same data; `note` is HTML, `hint` plain text.
    """

    name: str
    chart: alt.TopLevelMixin
    alt_text: str
    payload: dict = field(default_factory=dict)
    narrow: alt.TopLevelMixin | None = None
    downloads: tuple[Attachment, ...] = ()
    note: str = ""
    hint: str = ""

    def __repr__(self) -> str:
        """Short: notebooks write it beside the HTML, and a book keeps both."""
        return f"{type(self).__name__}({self.name!r})"

    def _repr_html_(self) -> str:
        spec = offline_spec(self.chart)
        data = json.dumps({"spec": spec, **self._narrow(spec), **self.payload}, separators=(",", ":"), allow_nan=False)
        # "</script" would end the element, "<!--<script" keep its end from being one; JSON reads "\u003c" as the same.
        inline = data.replace("<", "\\u003c")
        label = html.escape(self.alt_text, quote=True)
        picture = base64.b64encode(svg(spec).encode()).decode()
        return (
            f'<div class="ll-chart" id="{html.escape(self.name, quote=True)}">'
            f'<script type="application/json" class="ll-data">{inline}</script>'
            '<div class="ll-live"></div>'
            f'<img class="ll-static" alt="{label}" src="data:image/svg+xml;base64,{picture}">'
            '<noscript><p class="ll-note">Scripts are off: this is the static picture of the chart.</p></noscript>'
            '<div class="ll-detail"></div>'
            f'<p class="ll-note">{self._hint()}{self.note} {links(self.downloads)}</p>'
            "</div>"
        )

    def _narrow(self, spec: dict) -> dict[str, dict]:
        """The chart for phones, without the data that it has in common with the other one."""
        if self.narrow is None:
            return {}
        narrow = offline_spec(self.narrow)
        own = {name: rows for name, rows in narrow.pop("datasets", {}).items() if name not in spec.get("datasets", {})}
        return {"narrow": narrow | {"datasets": own}}

    def _hint(self) -> str:
        """What a reader can do with the live chart; of no use in print."""
        return f'<span class="ll-screen">{html.escape(self.hint)} </span>' if self.hint else ""


def csv_file(name: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Attachment:
    """Rows as a file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return Attachment(name, text.getvalue())


def links(files: Sequence[Attachment]) -> str:
    """Links to files as data: addresses, so that they work from a file system."""
    own = [
        f'<a download="{html.escape(item.name, quote=True)}" '
        f'href="data:{item.media};charset=utf-8,{quote(item.csv, safe="")}">{html.escape(item.name)}</a>'
        for item in files
    ]
    return f"Data: {', '.join(own)}." if own else ""


def offered(*files: Attachment) -> str:
    """What stands below a table: links to its files, where it has any."""
    return f"<p>{links(files)}</p>" if files else ""


def offline_spec(chart: alt.TopLevelMixin) -> dict:
    """The Vega-Lite specification without its `$schema` address: nothing in the page may name a host."""
    spec = chart.to_dict(validate=False)  # which takes as long as all the rest; tests do it
    spec.pop("$schema", None)
    return spec


def svg(spec: dict) -> str:
    """The static picture, drawn without a browser; it tells nobody to drag. Its words are those of the `alt` beside it:
    labels of its marks, which are more than half of all bytes, no reader of a picture hears."""
    mute = {"config": {**spec.get("config", {}), "aria": False}}
    static = json.dumps(spec | WHITE | mute).replace(json.dumps(style.ZOOM), json.dumps(style.WHOLE))
    return converted("vegalite_to_svg", vl_spec=static, vl_version=VEGALITE).decode()


def png(spec: dict, scale: float = 2.0) -> bytes:
    """The same picture as PNG, `scale` pixels per chart unit."""
    return converted("vegalite_to_png", vl_spec=json.dumps(spec | WHITE), vl_version=VEGALITE, scale=scale)


def javascript_bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one classic script that sets `vegaEmbed`; from the locked vl-convert."""
    # The bundle declares top-level names of one letter; a function keeps them from the page's other scripts.
    return "(function(){" + converted("javascript_bundle", vl_version=VEGALITE).decode() + "\n})();\n"
