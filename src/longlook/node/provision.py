"""What the control host puts on the nodes before a cell.

The code and the stack, each once per digest; a key between nodes. Everything lies below the description's `folder`,
which is the same on server and client:

    code/<digest>/      the files of this repository that measuring needs
    cache/              parts of stacks and tools, as in the per-user cache of a local machine (LONGLOOK_CACHE)
    cells/<cell_id>/    on the client: the record under way
    tmp/                temporary files, emptied at every connection
"""

from __future__ import annotations

import functools
import hashlib
import tarfile
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from longlook import paths
from longlook.errors import LonglookError
from longlook.host.facts import git_commit
from longlook.node.session import CLEAN, NodeError, Session
from longlook.stack import open_stack
from longlook.stack.gobuild import build_tool

CODE = ("src", "envs", "notebooks", "tools", "requirements.txt", "pyproject.toml", "data/published")
NEEDED = "import papermill, ipykernel, asyncssh, pyroute2, pydantic, pandas, pyarrow, zstandard, scipy, psutil"
"""What tells whether a node's Python has this project's dependencies."""
UNPACK_TIMEOUT_S, BOOTSTRAP_TIMEOUT_S = 300.0, 1800.0


@dataclass(frozen=True)
class Bundle:
    """A folder to be put on nodes: its files packed, and the SHA-256 of what they are."""

    digest: str
    path: Path


def _pack(files: Iterable[tuple[Path, str]], name: str) -> Bundle:
    """Pack (file, name in the bundle) pairs; equal files give an equal digest whatever their times."""
    total, chosen = hashlib.sha256(), sorted(files, key=lambda pair: pair[1])
    for path, inside in chosen:
        mode = "x" if path.stat().st_mode & 0o100 else "-"
        total.update(f"{inside}\0{mode}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    digest = total.hexdigest()[:16]
    target = paths.CACHE / "bundles" / f"{name}-{digest}.tar"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with (
            tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as partial,
            tarfile.open(fileobj=partial, mode="w") as archive,
        ):
            for path, inside in chosen:
                archive.add(path, inside, recursive=False)
        Path(partial.name).rename(target)
    return Bundle(digest, target)


@functools.cache
def code_bundle() -> Bundle:
    """This code, as it is now: a node measures with what the control host runs."""
    files = []
    for top in CODE:
        base = paths.ROOT / top
        for path in [base] if base.is_file() else base.rglob("*"):
            if path.is_file() and not {"__pycache__", "node_modules", ".pytest_cache"} & set(path.parts):
                files.append((path, path.relative_to(paths.ROOT).as_posix()))
    return _pack(files, "code")


@functools.cache
def stack_bundles(name: str) -> tuple[Bundle, ...]:
    """A stack as installed here, in the layout of the per-user cache.

    A bundle for each part that has files or programs of this project. A part that an earlier stack brought to a node
    has the same bundle and is not sent again.
    """
    stack = open_stack(name)
    if stack.provider != "portable":
        raise LonglookError(
            f"stack {name} comes from {stack.provider}, whose programs need this machine's store: "
            f"install it with longlook stack install {name} outside of the shell"
        )
    bundles = []
    for placed in stack.parts:
        files = [path for path in placed.folder.rglob("*") if path.is_file()]
        files += [build_tool(one.package) for one in placed.part.spec.components.values() if one.source == "go"]
        if files:
            inside = [(path, path.relative_to(paths.CACHE).as_posix()) for path in files]
            bundles.append(_pack(inside, f"part-{placed.name}"))
    return tuple(bundles)


FOREIGN = 'if [ -L "$1" ]; then echo link; fi; case "$(stat -c %U "$1")" in root|"$2") ;; *) echo another;; esac'
"""Says something about a folder that somebody may have made beforehand, where every user can: /var/tmp is one."""


class Provisioned:
    """One node with folder, code and, once asked for, stacks; gives the environment in which the code runs there."""

    def __init__(self, session: Session, folder: str, python: str):
        self._session, self._folder = session, folder
        code = code_bundle()
        self.code = f"{folder}/code/{code.digest}"
        places = [folder, f"{folder}/cells", f"{folder}/cache", f"{folder}/code"]
        session.run(["mkdir", "-p", folder], timeout_s=30)
        if session.run(["sh", "-c", FOREIGN, "sh", folder, session.user], timeout_s=30).strip():
            raise NodeError(
                f"{session.what} ({session.host}): {folder} is a link, or another user's, who could exchange what root "
                "runs from it: remove it there, or name another `folder` in the testbeds' file"
            )
        session.run(["mkdir", "-p", *places], timeout_s=30)
        session.run(["chown", session.user, *places], timeout_s=30)
        self._place(code, self.code)
        self.clean()
        self.python = self._ready_python(python)
        session.environment = {
            "PYTHONPATH": f"{self.code}/src",
            "LONGLOOK_ROOT": self.code,
            "LONGLOOK_CACHE": f"{folder}/cache",
            "LONGLOOK_COMMIT": git_commit() or "",
            "LONGLOOK_PYTHON": self.python,
            "TMPDIR": f"{folder}/tmp",
        }

    def clean(self) -> None:
        """End what an earlier connection left running, and empty the temporary folder."""
        self._session.run(
            ["python3", "-S", f"{self.code}/src/longlook/node/{CLEAN.name}", self._session.tag], timeout_s=60
        )
        self._session.run(
            ["sh", "-c", 'rm -rf "$1" && mkdir -p "$1" && chmod 711 "$1"', "sh", f"{self._folder}/tmp"], timeout_s=60
        )

    def place_stack(self, name: str) -> None:
        cache = f"{self._folder}/cache"
        for bundle in stack_bundles(name):
            self._place(bundle, cache, marker=f"{cache}/{bundle.path.stem}.whole")

    def _place(self, bundle: Bundle, target: str, marker: str | None = None) -> None:
        """Unpack a bundle on the node unless it is there, whole: `marker` is written last."""
        marker = marker or f"{target}/.whole"
        if self._session.run(["sh", "-c", 'test -e "$1" && echo whole || true', "sh", marker], timeout_s=30).strip():
            return
        packed = f"{self._folder}/{bundle.path.name}"
        self._session.put(bundle.path, packed)
        script = 'mkdir -p "$2" && tar -xf "$1" -C "$2" && rm "$1" && touch "$3"'
        self._session.run(["sh", "-c", script, "sh", packed, target, marker], timeout_s=UNPACK_TIMEOUT_S)

    def _ready_python(self, python: str) -> str:
        """A Python there that has this project's dependencies.

        The given one, or an environment made with it beside the code.
        """
        if found := self._having_needed(python):
            return found
        own = f"{self.code}/.venv/bin/python"
        if not self._having_needed(own):
            # All of the bootstrap, its stacks too, which then lie where they are looked for.
            script = 'cd "$1" && PYTHON="$2" LONGLOOK_CACHE="$3" tools/bootstrap'
            self._session.run(
                ["sh", "-c", script, "sh", self.code, python, f"{self._folder}/cache"], timeout_s=BOOTSTRAP_TIMEOUT_S
            )
        if not self._having_needed(own):
            raise NodeError(
                f"{self._session!r}: tools/bootstrap made no usable environment in {self.code}/.venv; "
                "look at .longlook/bootstrap.log there"
            )
        return own

    def _having_needed(self, python: str) -> str:
        """The path of a Python there that has this project's dependencies; empty where it has not, or is not there.

        To import them all takes seconds: it is done once for each code, and the answer kept beside it.
        """
        kept = f"{self.code}/.python-{hashlib.sha256(python.encode()).hexdigest()[:8]}"
        script = '{ p=$(cat "$3") && test -x "$p"; } || { p=$("$1" -c "$2") && echo "$p" > "$3"; } || exit 0; echo "$p"'
        argv = ["sh", "-c", f"{{ {script}; }} 2>/dev/null", "sh", python, f"{NEEDED}, sys; print(sys.executable)", kept]
        return self._session.run(argv, timeout_s=120).strip()


def introduce(client: Session, others: Iterable[Session], folder: str) -> tuple[str, str]:
    """Let the client node log in to the others.

    It gets a key of its own, known to them, and their host keys, as verified from here. Returns the paths, on the
    client, of the private key and of the file of host keys.
    """
    key, known = f"{folder}/key", f"{folder}/known_hosts"
    make = 'test -e "$1.pub" || { rm -f "$1" && ssh-keygen -q -t ed25519 -N "" -C longlook -f "$1"; }'
    client.run(["sh", "-c", make, "sh", key], timeout_s=30)
    public = client.run(["cat", f"{key}.pub"], timeout_s=30).strip()
    allow = (
        'umask 077 && mkdir -p ~/.ssh && cd ~/.ssh && touch authorized_keys && { grep -qxF "$1" authorized_keys || '
        '{ [ -z "$(tail -c 1 authorized_keys)" ] || echo >> authorized_keys; '
        'printf "%s\\n" "$1" >> authorized_keys; }; }'
    )
    lines = []
    for other in others:
        other.run(["sh", "-c", allow, "sh", public], timeout_s=30, as_root=False)
        name = other.host if other.port == 22 else f"[{other.host}]:{other.port}"
        lines.append(f"{name} {other.host_key}")
    client.write(known, "\n".join(lines) + "\n")
    return key, known
