"""Chapters that are executed and waited for."""

from longlook.book.execute import Execution


def execute(pages, scratch, kept=None):
    """What all of them show, by name."""
    running = Execution(pages, scratch, kept)
    running.finish()
    return {page.stem: running.result(f"{page.parent.name}/{page.stem}") for page in pages}
