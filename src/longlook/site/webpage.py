"""A page that has something to look at: text, style sheets, scripts, fonts, images above and below the fold.

What it consists of follows from its size and number of resources alone, by shares of this project's own making; only
the noise in its files is drawn for each cell. Nothing in it is anybody else's.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from longlook.plan.workload import WebPage
from longlook.site.font import FAMILY, font
from longlook.site.page import PAGE
from longlook.site.png import png

Kind = Literal["document", "style", "script", "font", "image"]
TYPES: dict[Kind, str] = {
    "document": "text/html",
    "style": "text/css",
    "script": "text/javascript",
    "font": "font/ttf",
    "image": "image/png",
}
SHARES: dict[Kind, float] = {"document": 0.08, "style": 0.05, "script": 0.30, "font": 0.05}
"""Of a page's bytes; images have the rest."""
SCRIPTS_SHARE = 0.25
"""Of the resources besides the document."""
MANY = 50
"""From so many resources on there are two style sheets and two fonts."""
HERO_SHARE = 0.25
"""Of the images' bytes: the main image's."""
ABOVE = 5
"""Images above the fold of 800 x 600, the main one among them; all of them on a page that has no more."""
SPREAD = 0.8
"""Standard deviation of the logarithms of sizes within a kind."""
DRAWN = 2021
"""Seed of the sizes."""
WORD_LETTERS = "aeioubcdfglmnprstv"


@dataclass(frozen=True)
class Resource:
    """One file of a page."""

    path: str
    kind: Kind
    size_bytes: int
    above: bool = False
    """An image above the fold."""


@lru_cache(maxsize=64)
def resources(page: WebPage) -> tuple[Resource, ...]:
    """All of them, the document first; the rest in the order in which the document names them."""
    others = page.resources - 1
    many = 2 if page.resources >= MANY else 1
    scripts = max(1, round(SCRIPTS_SHARE * others))
    generator = random.Random(f"{DRAWN} {page.size_bytes} {page.resources}")
    fixed = [
        Resource(PAGE, "document", round(SHARES["document"] * page.size_bytes)),
        *_drawn("style", "css", many, page, generator),
        *_drawn("font", "ttf", many, page, generator),
        *_drawn("script", "js", scripts, page, generator),
    ]
    left = page.size_bytes - sum(one.size_bytes for one in fixed)
    count = others - len(fixed) + 1
    sizes = _sizes(round(left * (1 - HERO_SHARE)), count - 1, generator)
    images = [left - sum(sizes), *sizes]
    return (
        *fixed,
        *(Resource(f"/img/{index:03d}.png", "image", size, above=index < ABOVE) for index, size in enumerate(images)),
    )


def _drawn(kind: Kind, suffix: str, count: int, page: WebPage, generator: random.Random) -> list[Resource]:
    sizes = _sizes(round(SHARES[kind] * page.size_bytes), count, generator)
    return [Resource(f"/{kind}-{index:03d}.{suffix}", kind, size) for index, size in enumerate(sizes)]


def _sizes(total: int, count: int, generator: random.Random) -> list[int]:
    """Multiples of four, each at least half of an even share and a half by lot."""
    weights = [generator.lognormvariate(0, SPREAD) for _ in range(count)]
    even = total / (2 * count)
    return [int(even + total / 2 * weight / sum(weights)) // 4 * 4 for weight in weights]


def body(page: WebPage, one: Resource, seed: int) -> bytes:
    """A file's bytes, exactly as many as it has."""
    own = random.Random(f"{seed} {one.path}").getrandbits(32)
    if one.kind == "image":
        return png(one.size_bytes, own)
    if one.kind == "font":
        return font(one.size_bytes, own)
    if one.kind == "document":
        return _document(page, one.size_bytes, own)
    text = _style(page) if one.path.startswith("/style-000") else ""
    return _filled(text, one.size_bytes, own)


def _filled(text: str, size_bytes: int, seed: int) -> bytes:
    """A text and a comment of words behind it, as both style sheets and scripts have them."""
    return f"{text}/*{_words(size_bytes - len(text) - 4, seed)}*/".encode()


def _words(letters: int, seed: int) -> str:
    """So many letters and spaces."""
    generator = random.Random(seed)
    drawn = generator.choices(WORD_LETTERS, k=max(letters, 0))
    at = generator.randrange(3, 9)
    while at < len(drawn) - 1:
        drawn[at] = " "
        at += generator.randrange(4, 11)
    return "".join(drawn)


def _style(page: WebPage) -> str:
    """For a viewport of 800 x 600: headline, main image and a row of four end above the fold."""
    fonts = [one.path for one in resources(page) if one.kind == "font"]
    faces = "".join(
        f"@font-face{{font-family:{FAMILY}{number};src:url({path});font-display:swap}}"
        for number, path in enumerate(fonts)
    )
    last = len(fonts) - 1
    return (
        f"{faces}body{{margin:0 10px;background:#fff;color:#222;font:16px serif}}"
        f"h1{{margin:8px 0;font:28px {FAMILY}0,serif}}h2{{font:20px {FAMILY}{last},serif}}p{{margin:8px 0}}"
        ".hero{display:block;width:780px;height:300px}.row{display:flex;gap:10px;margin-top:10px}"
        ".row img{width:187px;height:110px}.more img{width:180px;height:120px;margin:5px}"
        ".below{margin-top:60px}"
    )


def _document(page: WebPage, size_bytes: int, seed: int) -> bytes:
    own = resources(page)
    links = "".join(f'<link rel="stylesheet" href="{one.path}">' for one in own if one.kind == "style")
    scripts = "".join(f'<script defer src="{one.path}"></script>' for one in own if one.kind == "script")
    hero, *row = (one.path for one in own if one.kind == "image" and one.above)
    more = (one.path for one in own if one.kind == "image" and not one.above)
    head = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>web page</title>'
        f'<link rel="icon" href="data:,">{links}{scripts}</head>\n<body><h1>{_words(24, seed)}</h1>'
        f"<p>{_words(180, seed + 1)}</p>"
        f'<img class="hero" src="{hero}" alt=""><div class="row">{_images(row)}</div>\n'
        f'<div class="below"><h2>{_words(30, seed + 2)}</h2><p>'
    )
    tail = f'</p><div class="more">{_images(more)}</div></div></body></html>\n'
    return f"{head}{_words(size_bytes - len(head) - len(tail), seed + 3)}{tail}".encode()


def _images(paths: Iterable[str]) -> str:
    return "".join(f'<img src="{path}" alt="">' for path in paths)
