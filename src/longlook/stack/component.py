"""What a part.toml says of each piece of software."""

from __future__ import annotations

import re
from typing import Literal, Self

from pydantic import Field, model_validator

from longlook.stack.table import Sha256, Table

Kept = Literal["node_modules", "python"]
"""Folders of an installed part in which libraries stay."""
KEPT: dict[str, Kept] = {"npm": "node_modules", "pypi": "python"}
OF_LIBRARIES = ("package", "python")
"""How libraries that stay in a part are asked for their version: through that folder."""


class Report(Table):
    """How the running program says its version.

    `exit`: run it with `argv`, it prints and ends. `devtools`: start it, ask its DevTools endpoint. `apache`: start
    Apache with mod_ssl on a loopback port, read its first log line. `package`: what an installed npm or Python package,
    which has no program, says of itself. `python`: run Python with `argv` and the part's Python packages. `dpkg`: ask
    for the version of the Debian package that the program, which prints none, belongs to.
    """

    how: Literal["exit", "devtools", "apache", "package", "python", "dpkg"]
    argv: tuple[str, ...] = ()
    regex: str = Field(default="", description="its first group is the version")

    @model_validator(mode="after")
    def _regex_has_a_group(self) -> Self:
        try:
            groups = re.compile(self.regex).groups
        except (re.error, RecursionError, OverflowError) as error:
            raise ValueError(f"regex {self.regex!r} is no regular expression: {error}") from None
        if self.how != "package" and groups != 1:
            raise ValueError(f"regex {self.regex!r} needs exactly one group, the version")
        return self


class Component(Table):
    """One piece of software: where it comes from, which bytes it must be, how it says its version."""

    role: Literal["client", "server", "library"]
    source: Literal["npm", "pypi", "go", "system"] = Field(description="go: built here, from tools/<package>")
    package: str
    version: str = Field(default="", description="as the running program reports it; empty for the system's")
    package_version: str = Field(default="", description="of the package, where it differs from `version`")
    minimum: str = Field(default="", description="oldest version that will do; the system's components only")
    file: str = Field(default="", description="the program inside the package")
    unpack: Literal["", "brotli"] = ""
    sha256: Sha256 | None = Field(default=None, description="of the program, unpacked")
    commands: tuple[str, ...] = Field(default=(), description="names on PATH; the system's components only")
    part_of: str = Field(default="", description="the component that reports this one")
    reports: Report

    @property
    def locked_version(self) -> str:
        """The version that the lock file must hold."""
        return self.package_version or self.version

    @property
    def is_installed_program(self) -> bool:
        """True when an installation holds it as bin/<name>."""
        return bool(self.file)

    @property
    def kept_in(self) -> Kept | None:
        """The folder of its part in which a library stays; None for programs."""
        return None if self.file else KEPT.get(self.source)

    @model_validator(mode="after")
    def _is_pinned(self) -> Self:
        if self.source == "system":
            if not self.minimum or self.version or self.file:
                raise ValueError("a component of the system states `minimum`, and neither `version` nor `file`")
        elif not self.version or self.minimum or self.commands:
            raise ValueError("a packaged component states `version`, and neither `minimum` nor `commands`")
        if self.source == "go" and (self.file or self.package_version):
            raise ValueError("a component built from tools/ states neither `file` nor `package_version`")
        if bool(self.file) != bool(self.sha256):
            raise ValueError("`file` and `sha256` go together")
        if (self.reports.how in OF_LIBRARIES) != (self.kept_in is not None):
            raise ValueError(
                f"reports.how: a library of npm or PyPI is asked by {' or '.join(OF_LIBRARIES)}, and no program"
            )
        return self


class Locks(Table):
    """Lock files beside part.toml, and the hash of what npm and pip make of them where it stays (tree.py)."""

    npm: str | None = None
    npm_tree_sha256: Sha256 | None = Field(default=None, description="of node_modules")
    python: str | None = None
    python_tree_sha256: dict[str, Sha256] = Field(
        default={}, description="Python version (`3.11`) -> of python/: compiled packages differ between them"
    )
