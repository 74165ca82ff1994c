"""What a file says of a server of somebody's own (servers/caddy.toml), read and kept.

With the text of its configuration and the program's hash it is a statement. An arm has its digest: whatever changes
makes another arm, and a sweep holds no commands, since it can only name what its reader has kept here himself. Of
packages of a Debian release the digest is of what the file says, and no hash of them is part of it: the release's next
version is the same arm, as it is of the servers that a stack has from the system. A sweep can name what servers/ says
of such.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from longlook import paths
from longlook.errors import LonglookError, plain
from longlook.host.files import read_text
from longlook.host.toml import read_toml
from longlook.plan.arm import Cca, Protocol
from longlook.plan.recorded import RecordedSite, SiteName
from longlook.plan.value import Many, PlanError, Text, Value, nearest, unstated
from longlook.record.durable import write_bytes
from longlook.site.recorded import type_of
from longlook.stack import adapters
from longlook.stack.debian import DebianPackages, Unpacked, unpack
from longlook.stack.placed import SYSTEM_FOLDERS
from longlook.stack.tree import sha256_of

PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")
FILLED = (
    "address", "port", "protocol", "site", "certificate", "key", "certificates", "scratch", "configuration", "root",
)  # fmt: skip
"""`certificates`: a folder with cert.pem and priv.key; `scratch`: one of the program's own, mode 0700; `root`: where
the packages of `debian` are unpacked, / without."""
SPOKEN: Mapping[str, str] = {"quic": "h3", "tcp": "h2"}
READ = ("program_sha256", "files")
"""Of a statement: not said by its file."""
SAME_TYPE = {
    "application/javascript": "text/javascript",
    "application/x-javascript": "text/javascript",
    "image/vnd.microsoft.icon": "image/x-icon",
}
"""Types by which browsers do the same."""


class ServerFile(Value):
    """What a file says of a server."""

    called = "a server's file"

    name: SiteName
    package: Text = Field(default="", description="that has its program")
    debian: DebianPackages | None = Field(
        default=None, exclude_if=unstated, description="packages of another release than this system's"
    )
    command: Many[str] = Field(min_length=1, max_length=200)
    protocols: dict[Protocol, Text] = Field(min_length=1, description="each with what ${protocol} is; a list: h3, h2")
    version: Many[str] = Field(min_length=1, max_length=200, description="a command; the first line that it prints")
    configuration: str = Field(default="", description="a text of several lines, or the name of a file beside this one")
    cca: Cca | None = Field(default=None, description="the controller that QUIC's connections have")

    @field_validator("protocols", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        names = [value] if isinstance(value, str) else value
        return {str(one): SPOKEN.get(str(one), "") for one in names} if isinstance(names, list | tuple) else value

    @model_validator(mode="after")
    def _filled(self) -> Self:
        for name in PLACEHOLDER.findall("\n".join((*self.command, *self.version, self.configuration))):
            if name not in FILLED:
                known = ", ".join(f"${{{one}}}" for one in FILLED)
                raise ValueError(f"there is no placeholder ${{{name}}}{nearest(name, FILLED)} (known: {known})")
        if bool(self.configuration) != ("${configuration}" in " ".join(self.command)):
            raise ValueError("configuration, and ${configuration} in its command, which is its path, go together")
        return self

    @property
    def digest(self) -> str:
        """Of packages of a release that of its statement, too."""
        return digest_of(self.model_dump(mode="json"))


class Statement(ServerFile):
    """The same with what it was read from."""

    program_sha256: str
    """Of the program that the command starts."""
    files: dict[str, str]
    """Name -> SHA-256 of its bytes."""

    @property
    def line(self) -> str:
        """For readers: what it was read from, and what is not told of it."""
        files = ", ".join(f"{name} (SHA-256 {digest})" for name, digest in self.files.items())
        told = f"its controller, {self.cca}, is what the file states" if self.cca else "its controller is not told"
        quic = f" Over HTTP/3 {told}; its window, and whether it takes early data, are not told."
        return f"Server {self.name} is by file: {files}; its program has SHA-256 {self.program_sha256}." + (
            quic if "quic" in self.protocols else ""
        )


def digest_of(statement: Any) -> str:
    """SHA-256 of a statement as plain data; of packages of a release, of what is said of them."""
    if isinstance(statement, dict) and statement.get("debian"):
        statement = {name: value for name, value in statement.items() if name not in READ}
    return _sha256(statement)


def is_named(statement: Any, digest: str) -> bool:
    """Whether an arm with this digest has it; before packages of a release were left out it was of everything."""
    return digest in (digest_of(statement), _sha256(statement))


def _sha256(statement: Any) -> str:
    return hashlib.sha256(json.dumps(statement, sort_keys=True).encode()).hexdigest()


def read(path: Path) -> Statement:
    """Raise `LonglookError` for what states no server, or one whose program is not here."""
    stated, files = said(path)
    own = None if stated.debian is None else unpack(stated.debian)
    commands = {key: _found(path, getattr(stated, key), stated.package, own) for key in ("command", "version")}
    program = commands["command"][0]
    if own is not None:  # wherever this user's packages are unpacked, their programs are the first of PATH
        commands = {key: found for key, found in commands.items() if "/" in getattr(stated, key)[0]}
    return Statement.parse(stated.model_dump() | commands | _of_programs(program, files, own))


def _of_programs(program: str, files: Mapping[str, str], own: Unpacked | None) -> dict[str, Any]:
    """READ, of the program that is started and its packages."""
    started = Path(program)
    if own is not None:
        files = {name: one for name, one in files.items() if not name.endswith(".deb")} | own.packages
        started = own.program(started.name) if started.parent == own.starters else started
    return {"program_sha256": sha256_of(started), "files": dict(files)}


def said(path: Path) -> tuple[ServerFile, dict[str, str]]:
    """What a file says, and the SHA-256 of it and of its configuration by their names."""
    try:
        data = read_toml(path)
        files = {path.name: sha256_of(path)}
        template = data.get("configuration")
        if isinstance(template, str) and template and "\n" not in template:
            beside = path.parent / template
            data["configuration"] = read_text(beside, "the configuration")
            files[beside.name] = sha256_of(beside)
        stated = ServerFile.parse(data)
    except FileNotFoundError:
        raise LonglookError(f"there is no file {path}: servers/ has some") from None
    except PlanError as error:
        raise LonglookError(f"{path}: {error}") from None
    if stated.name in adapters.SERVERS:
        raise LonglookError(f"{path}: name = '{stated.name}' is that of a server that is here already: choose another")
    return stated, files


def _found(path: Path, command: tuple[str, ...], package: str, own: Unpacked | None) -> tuple[str, ...]:
    """A command with its program's path: from its packages, from PATH, or, where it has a slash, from the file's
    folder."""
    word = command[0]
    first = [] if own is None else [str(own.starters)]
    search = os.pathsep.join((*first, os.environ.get("PATH", os.defpath), SYSTEM_FOLDERS))
    found = shutil.which(str(path.absolute().parent / word) if "/" in word else word, path=search)
    if found is None:
        remedy = f"apt-get install {package}" if package else "install it, or correct the command"
        raise LonglookError(f"{path}: there is no program {plain(word)[:80]} here: {remedy}")
    return (found, *command[1:])


def require_plain(site: RecordedSite, server: str) -> None:
    """Raise `LonglookError` for a site that a folder of files, of which a program is told no more, cannot be."""
    for one in site.files:
        if one.query:
            why = f"is asked for with the query ?{one.query}, and a folder has files alone"
        elif (own := _plain_type(one.type)) != (named := _plain_type(type_of(PurePath(one.path)))):
            why = f"is {own}, and a server would take it for {named} by its name"
        else:
            continue
        raise LonglookError(f"site {site.name}: {one.path} {why}: ask without --server {server}")


def _plain_type(kind: str) -> str:
    kind = kind.partition(";")[0].strip().lower()
    return SAME_TYPE.get(kind, kind)


def _place(digest: str) -> Path:
    return paths.CACHE / "servers" / f"{digest}.json"


def keep(statement: Statement) -> str:
    """Keep a statement for the cells that name it by its digest, which is returned."""
    path = _place(statement.digest)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_bytes(path, json.dumps(statement.model_dump(mode="json")).encode())
    return statement.digest


def kept(digest: str) -> Statement:
    """What was kept under that digest, or servers/ says of packages, with those that are here now; what is not here, or
    was changed, is a `LonglookError`."""
    for file in () if _place(digest).exists() else sorted((paths.ROOT / "servers").glob("*.toml")):
        with contextlib.suppress(LonglookError):  # what another one states is not asked here
            if said(file)[0].digest == digest:
                keep(read(file))
    text = read_text(_place(digest), "what the file of a server states")
    found = Statement.parse(json.loads(text))
    if not is_named(found.model_dump(mode="json"), digest):
        raise LonglookError(f"{_place(digest)} is not what was kept: ask with --server FILE.toml again")
    if found.debian is None:
        return found
    own = unpack(found.debian)  # they may have been fetched again
    (program, *_) = _found(_place(digest), found.command, found.package, own)
    return found.model_copy(update=_of_programs(program, found.files, own))
