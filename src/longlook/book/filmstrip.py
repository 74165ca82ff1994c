"""A filmstrip: what was seen of a page at equal times, a row of pictures for each load. Pure."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence

from longlook.experiment.pictures import Film

FRAMES = 10
STEPS_MS = (50, 100, 200, 250, 500, 1000, 2000, 5000)
WIDTH_PX = 92


def step_ms(films: Mapping[str, Film]) -> float:
    """Between two frames of a strip: a round number, so that all of them together show the slower load's end."""
    ends = max(film.ends_ms for film in films.values())
    return next((one for one in STEPS_MS if one * (FRAMES - 1) >= ends), STEPS_MS[-1])


def table(films: Mapping[str, Film], names: Mapping[str, str], head: str) -> str:
    """A row of pictures for each arm, at the same times; `names`: what readers call arms, `head` all of it."""
    step = step_ms(films)
    moments = [step * number for number in range(FRAMES)]
    times = "".join(f"<th class=num>{_seconds(one)}</th>" for one in moments)
    rows = "".join(_row(film, names[arm], moments) for arm, film in films.items())
    return (
        f'<table class="ll-table ll-tight"><thead><tr><th>{html.escape(head)}</th>{times}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _seconds(ms: float) -> str:
    return f"{ms / 1000:g} s"


def _row(film: Film, name: str, moments: Sequence[float]) -> str:
    cells = "".join(f"<td class=num>{_picture(film, name, at)}</td>" for at in moments)
    return f"<tr><td>{html.escape(name)}</td>{cells}</tr>"


def _picture(film: Film, name: str, at: float) -> str:
    jpeg = base64.b64encode(film.picture_at(at)).decode()
    seen = next((percent for moment, percent in reversed(film.progress) if moment <= at), 0)
    told = html.escape(f"{name} after {_seconds(at)}: {seen:.0f} % is seen")
    return f'<img alt="{told}" title="{told}" width="{WIDTH_PX}" src="data:image/jpeg;base64,{jpeg}">'
