"""Raw records: starting, resuming, finding and verifying the campaigns of `data/raw`."""

from __future__ import annotations

import fcntl
import os
import weakref
from datetime import timedelta
from pathlib import Path

from longlook.errors import LonglookError, plain
from longlook.host import facts
from longlook.host.clock import Clock
from longlook.paths import refuse_link
from longlook.plan.sweep import Sweep
from longlook.plan.value import checked_name
from longlook.record.campaign import CAMPAIGN_NAME, CAMPAIGN_SCHEMA, OLD_SCHEMA, Campaign, Role, iso, stamp, utc_now
from longlook.record.criteria import CHANGED, sealed, standing
from longlook.record.durable import explain_disk_errors, fsync_folder, json_bytes, read_json, write_bytes
from longlook.record.info import check_info
from longlook.record.manifest import MANIFEST_NAME, check_manifest, links_in

__all__ = ["Campaign", "find_campaign", "open_campaign", "read_campaigns", "scan_campaigns", "verify"]


def open_campaign(root: Path, sweep: Sweep, role: Role, stack_digest: str, resume: str | None = None) -> Campaign:
    """A campaign to measure into, locked against other processes until it is closed or this process ends.

    `resume`: None starts a new one; a campaign id goes on with that one; "auto" goes on with the newest
    unsealed one of the same role, sweep definition and stack, and starts a new one where there is none.
    `stack_digest`: of the sweep's stack; where it has several, theirs in the order of `sweep.stacks()`, joined by ", ".
    """
    root = Path(root)
    with explain_disk_errors("make the folder of raw records", root):
        refuse_link(root)
        root.mkdir(parents=True, exist_ok=True)
    if resume is None:
        return _locked(_create(root, sweep, role, stack_digest))
    if resume != "auto":
        campaign = find_campaign(root, resume)
        difference = _difference(campaign, sweep, role, stack_digest)
        if campaign.is_sealed:
            raise LonglookError(f"campaign {resume} is sealed and is never written again; start a new one")
        if difference:
            raise LonglookError(f"campaign {resume} cannot be resumed: {difference}; start a new one")
        return _locked(campaign)
    fitting = [
        found
        for found in scan_campaigns(root)[0]
        if not found.is_sealed and _difference(found, sweep, role, stack_digest) is None
    ]
    return _locked(fitting[-1] if fitting else _create(root, sweep, role, stack_digest))


def _difference(campaign: Campaign, sweep: Sweep, role: Role, stack_digest: str) -> str | None:
    """Why `campaign` is not an execution of this sweep with this stack; None where it is."""
    info = campaign.info
    if campaign.is_old:
        return "it is of an older version of this program"
    if info["role"] != role:
        return f"its role is {info['role']}, not {role}"
    if info["stack_digest"] != stack_digest:
        return f"its stack digest is {info['stack_digest'][:12]}..., the installed stack's is {stack_digest[:12]}..."
    if info["sweep_definition"] != sweep.definition():
        return f"it executes another definition of sweep {info['sweep']}"
    if "criteria" in info and standing(info, sweep.criteria) == CHANGED:
        return f"the criteria of sweep {info['sweep']} were changed since it began"
    return None


def _create(root: Path, sweep: Sweep, role: Role, stack_digest: str) -> Campaign:
    """Make the folder with its `campaign.json` under a temporary name, then rename it."""
    created = utc_now()
    prefix = "reference-" if role == "reference" else ""
    while (root / (name := f"{prefix}{sweep.name}-{stamp(created)}")).exists():
        created += timedelta(seconds=1)  # two in one second: ids stay unique and in order
    info = {
        "schema": CAMPAIGN_SCHEMA,
        "campaign": name,
        "sweep": sweep.name,
        "study": sweep.study,
        "role": role,
        "created": iso(created),
        "sealed": None,
        "stack": ", ".join(sweep.stacks()),
        "stack_digest": stack_digest,
        "git_commit": facts.git_commit(),
        "machine": {key: value for key, value in facts.machine().items() if key != "git_commit"},
        "sweep_definition": sweep.definition(),
        "cells": [cell.id for cell in sweep.cells()],
        "wall_s": None,
        "clock": {"created": Clock().record()},
    }
    if sweep.criteria is not None:
        info["criteria"] = sealed(sweep.criteria)
    check_info(info, f"a campaign of sweep {sweep.name}")  # else it would be left out once it is measured
    temporary = root / f".{name}.{os.getpid()}.partial"
    with explain_disk_errors(f"start campaign {name}", root):
        temporary.mkdir()
        write_bytes(temporary / CAMPAIGN_NAME, json_bytes(info))
        os.rename(temporary, root / name)
        fsync_folder(root)
    return Campaign(root / name, info)


def _locked(campaign: Campaign) -> Campaign:
    """Lock the folder itself (no lock file to leave behind; the kernel lets go when the process ends)."""
    if links := links_in(campaign.path):
        raise LonglookError(
            f"campaign {campaign.id} is not measured into: {plain(links[0])} in it is a symbolic link, which no record "
            "has; remove it, or start a new one (--new)"
        )
    descriptor = os.open(campaign.path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise LonglookError(
            f"campaign {campaign.id} is being measured by another process; wait for it or end it"
        ) from None
    campaign._lock = weakref.finalize(campaign, os.close, descriptor)
    return campaign


def find_campaign(root: Path, campaign_id: str) -> Campaign:
    """The campaign of that id under `root`; an unknown id is an error that lists the known ones."""
    path = Path(root) / checked_name(campaign_id, "campaign")
    refuse_link(path)
    if not (path / CAMPAIGN_NAME).is_file():
        known = ", ".join(found.id for found in scan_campaigns(root)[0]) or "none"
        raise LonglookError(f"there is no campaign {campaign_id!r} in {root} (known: {known})")
    return _load(path)


def _load(path: Path) -> Campaign:
    info = read_json(path / CAMPAIGN_NAME)
    if info.get("schema") not in (CAMPAIGN_SCHEMA, OLD_SCHEMA) or info.get("campaign") != path.name:
        raise LonglookError(
            f"{path / CAMPAIGN_NAME}: schema {info.get('schema')!r}, campaign {info.get('campaign')!r}; "
            f"expected {CAMPAIGN_SCHEMA!r}, {path.name!r}"
        )
    check_info(info, str(path / CAMPAIGN_NAME))
    return Campaign(path, info)


def scan_campaigns(root: Path) -> tuple[list[Campaign], dict[str, str]]:
    """Every campaign under `root`, sealed or not, oldest first; and folder -> why it is no campaign, of those whose
    `campaign.json` cannot be read. Nothing where there is no such folder."""
    found, broken = [], {}
    for path in sorted(Path(root).glob("[!.]*")):
        marks = (path / CAMPAIGN_NAME, path / MANIFEST_NAME)
        if not path.is_dir() or not any(map(os.path.lexists, marks)):
            continue
        try:
            refuse_link(path)
            found.append(_load(path))
        except LonglookError as error:
            broken[plain(path.name)] = str(error)
        except Exception as error:  # whatever somebody else's file makes ours raise, the others are found
            broken[plain(path.name)] = unreadable(error)
    return sorted(found, key=lambda campaign: (campaign.info["created"], campaign.id)), broken


def unreadable(error: Exception) -> str:
    """Why a campaign cannot be read, of which something was not what any check expects."""
    return f"its records are not what they should be: {error!r}"[:300]


def read_campaigns(root: Path) -> list[Campaign]:
    """Those of `scan_campaigns`; one that cannot be read is a `LonglookError`."""
    found, broken = scan_campaigns(root)
    if broken:
        raise LonglookError("; ".join(broken.values()))
    return found


def verify(campaign_dir: Path) -> list[str]:
    """Re-check every hash of a sealed campaign: one line per file missing, extra or changed; [] where all is well."""
    path = Path(campaign_dir)
    if not path.is_dir():
        return [f"{path}: there is no such campaign folder"]
    return check_manifest(path)
