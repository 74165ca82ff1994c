"""What a workload's site consists of, path by path, without writing it."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType

from longlook.plan.recorded import RecordedSite
from longlook.plan.workload import Download, Video, WebPage, Workload
from longlook.site.film import film_sizes
from longlook.site.page import PAGE, file_path, html, image_path
from longlook.site.webpage import resources


@lru_cache(maxsize=256)
def sizes(workload: Workload) -> MappingProxyType[str, int]:
    """Path -> bytes of its file."""
    if isinstance(workload, Download):
        return MappingProxyType({file_path(index): workload.size_bytes for index in range(workload.count)})
    if isinstance(workload, WebPage):
        return MappingProxyType({one.path: one.size_bytes for one in resources(workload)})
    if isinstance(workload, RecordedSite):
        return MappingProxyType({one.path: one.size_bytes for one in workload.files})
    if isinstance(workload, Video):
        return MappingProxyType(film_sizes(workload))
    images = [one.size_bytes for one in workload.objects for _ in range(one.count)]
    found = {image_path(index): size for index, size in enumerate(images)}
    return MappingProxyType({PAGE: len(html(len(images)))} | found)
