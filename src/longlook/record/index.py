"""`INDEX.sha256` beside the campaigns: the hash of each reference campaign's manifest, under version control.

Whoever rewrites a campaign can rewrite its manifest too; a line that this file has is never changed by a program, so
that such a change shows in its history. `sha256sum -c INDEX.sha256` reads it. Signed (`INDEX.sha256.sig`, by a key of
`allowed_signers`) it can be checked without that history.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from longlook import paths
from longlook.errors import LonglookError, one_line
from longlook.plan.value import checked_name
from longlook.record.campaign import Campaign
from longlook.record.campaigns import find_campaign, scan_campaigns, verify
from longlook.record.durable import explain_disk_errors, read_bytes, sha256_file, write_bytes
from longlook.record.manifest import MANIFEST_NAME

INDEX_NAME = "INDEX.sha256"
REPOSITORY = paths.ROOT / "data" / "raw"
SIGNATURE_NAME, SIGNERS_NAME = f"{INDEX_NAME}.sig", "allowed_signers"
NAMESPACE = "longlook"
"""Of the signature (`ssh-keygen -Y sign -n longlook`): one for another purpose does not count."""
TIMEOUT_S = 20
_LINE = re.compile(rf"^([0-9a-f]{{64}})  ([^/\s]+)/{re.escape(MANIFEST_NAME)}$")


def read_index(root: Path) -> dict[str, str]:
    """Campaign -> the hash of its manifest; empty where there is no index. One that cannot be read is a
    `LonglookError`."""
    path = Path(root) / INDEX_NAME
    found: dict[str, str] = {}
    if not os.path.lexists(path):
        return {}
    try:
        lines = read_bytes(path).decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LonglookError(f"{path} could not be read: {getattr(error, 'strerror', None) or error}") from None
    for number, line in enumerate(lines, start=1):
        match = _LINE.match(line)
        if match is None or match[2] in found:
            raise LonglookError(
                f"{path}, line {number} is no entry, or one for the second time: {one_line(line[:80])!r}"
            )
        found[checked_name(match[2], "campaign")] = match[1]
    return found


def problems_of(campaign: Campaign, sealed: Mapping[str, str]) -> list[str]:
    """Why a campaign is not the one that an index (`sealed`) knows under its name; an unknown one is none."""
    if campaign.id not in sealed:
        return []
    if not campaign.is_sealed:
        return [f"{INDEX_NAME} knows it as sealed, and its manifest is missing"]
    with explain_disk_errors("read its manifest", campaign.path):
        digest = sha256_file(campaign.path / MANIFEST_NAME)
    if digest == sealed[campaign.id]:
        return []
    return [f"its manifest ({digest[:12]}...) is not the one of {INDEX_NAME} ({sealed[campaign.id][:12]}...)"]


def check_index(root: Path) -> list[str]:
    """One line per reference campaign that is not in the index, differs from it, or is in it and absent; and what is
    wrong with its signature. Without an index there is nothing to check, but in the repository's own folder."""
    root = Path(root)
    if not (root / INDEX_NAME).exists():
        gone = [f"{root / INDEX_NAME} is missing: it comes with the repository"] if root == REPOSITORY else []
        return gone + _signature(root)
    sealed = read_index(root)
    campaigns, broken = scan_campaigns(root)
    problems = [f"{one.id}: {line}" for one in campaigns for line in problems_of(one, sealed)]
    problems += [
        f"{one.id}: a sealed reference campaign that {INDEX_NAME} does not know; if it is yours: longlook seal-index"
        for one in campaigns
        if one.role == "reference" and one.is_sealed and one.id not in sealed
    ]
    there = {one.id for one in campaigns} | set(broken)
    problems += [f"{name}: {INDEX_NAME} knows it, and it is not here" for name in sealed if name not in there]
    return problems + _signature(root)


def verified(root: Path, names: Sequence[str] = ()) -> dict[str, list[str]]:
    """Campaign (or the index) -> what is wrong with its hashes; of those named, or of all that are sealed or should
    be."""
    if names:
        return {name: verify(find_campaign(root, name).path) + _of_index(root, name) for name in names}
    campaigns, broken = scan_campaigns(root)
    found = {one.id: verify(one.path) for one in campaigns if one.is_sealed or one.info["sealed"]}
    found |= {name: [one_line(why)] for name, why in broken.items()}
    if (Path(root) / INDEX_NAME).exists() or check_index(root):
        found[INDEX_NAME] = check_index(root)
    return found


def trust(root: Path, name: str) -> str:
    """Why a campaign's numbers may be taken for what its machine measured: somebody vouches for it, or nobody does."""
    known, signed = name in read_index(root), (Path(root) / SIGNATURE_NAME).exists()
    if not known:
        return f"trust: none (it is not in {INDEX_NAME}: its hashes show damage, and not who measured)"
    if signed and not _signature(Path(root)):
        return f"trust: signed ({SIGNATURE_NAME}, by a key of {SIGNERS_NAME})"
    whose = "the repository's " if Path(root) == REPOSITORY else ""
    return f"trust: in {whose}index ({INDEX_NAME}; its history says since when)"


def _of_index(root: Path, name: str) -> list[str]:
    return [line for line in check_index(root) if line.startswith(f"{name}: ")]


def add_to_index(root: Path) -> list[str]:
    """Write lines for the sealed reference campaigns that the index does not know (returned). A `LonglookError`, and
    nothing written, where a line that it has is not right any more, or a new campaign does not verify."""
    root = Path(root)
    sealed = read_index(root)
    campaigns, broken = scan_campaigns(root)
    if broken:
        raise LonglookError(one_line("; ".join(broken.values())))
    wrong = [f"{one.id}: {line}" for one in campaigns for line in problems_of(one, sealed)]
    wrong += [
        f"{name}: {INDEX_NAME} knows it, and it is not here" for name in set(sealed) - {one.id for one in campaigns}
    ]
    new = [one for one in campaigns if one.role == "reference" and one.is_sealed and one.id not in sealed]
    wrong += [line for one in new for line in verify(one.path)]
    if wrong:
        lines = "\n".join(f"  {line}" for line in wrong)
        raise LonglookError(
            f"{root / INDEX_NAME} was left as it is; a line of it is never changed by a program:\n{lines}"
        )
    if new:
        sealed |= {one.id: sha256_file(one.path / MANIFEST_NAME) for one in new}
        text = "".join(f"{sealed[name]}  {name}/{MANIFEST_NAME}\n" for name in sorted(sealed))
        write_bytes(root / INDEX_NAME, text.encode())
    return [one.id for one in new]


def _signature(root: Path) -> list[str]:
    """What is wrong with the index's signature; nothing where there is neither one nor a list of who may sign."""
    signature, signers = root / SIGNATURE_NAME, root / SIGNERS_NAME
    if not signature.exists() and not signers.exists():
        return []
    missing = [path.name for path in (root / INDEX_NAME, signature, signers) if not path.is_file()]
    if missing:
        return [f"{INDEX_NAME} cannot be checked against its signature: {', '.join(missing)} is missing"]
    if shutil.which("ssh-keygen") is None:
        return [f"the signature of {INDEX_NAME} cannot be checked: no ssh-keygen here (Debian: openssh-client)"]
    who = _keygen(["find-principals", "-s", str(signature), "-f", str(signers)])
    names = who.stdout.splitlines() if who.returncode == 0 else []
    text = read_bytes(root / INDEX_NAME)
    for name in names:
        argv = ["verify", "-f", str(signers), "-I", name, "-n", NAMESPACE, "-s", str(signature)]
        if _keygen(argv, text).returncode == 0:
            return []
    return [f"{SIGNATURE_NAME} is no signature of {INDEX_NAME} as it is by any of {SIGNERS_NAME}: sign it again"]


def _keygen(argv: list[str], text: bytes = b"") -> subprocess.CompletedProcess[str]:
    try:
        done = subprocess.run(
            ["ssh-keygen", "-Y", *argv],
            input=text,
            capture_output=True,
            timeout=TIMEOUT_S,
            env=os.environ | {"LC_ALL": "C"},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LonglookError(f"ssh-keygen could not check the signature of {INDEX_NAME}: {error}") from None
    return subprocess.CompletedProcess(argv, done.returncode, done.stdout.decode(errors="replace"), "")
