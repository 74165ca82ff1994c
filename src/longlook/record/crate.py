"""`ro-crate-metadata.json`: a campaign described as a Process Run Crate, so that others can read what made what.

Profile: Process Run Crate 0.5 (https://w3id.org/ro/wfrun/process/0.5) on RO-Crate 1.1. Each cell is one
`CreateAction`: its instrument is this software with the measured stack as its requirements, its objects are
the campaign's definition and the cell's parameters, its results are the cell's files. Written while sealing,
before the manifest, so that the hashes cover it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rocrate.model import ContextEntity
from rocrate.rocrate import ROCrate

import longlook
from longlook.record.durable import read_json, write_json

CRATE_NAME = "ro-crate-metadata.json"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
LICENSE = "https://spdx.org/licenses/CC-BY-4.0"
_FORMATS = {
    ".json": ("application/json", "JSON"),
    ".ipynb": ("application/x-ipynb+json", "executed notebook"),
    ".zst": ("application/zstd", "JSON Lines, one per sample, compressed by Zstandard"),
    ".qlog.zst": ("application/zstd", "qlog, a trace for each flow, compressed by Zstandard"),
}


def write_crate(campaign: Path, info: dict[str, Any]) -> None:
    """Describe the campaign in `campaign`, whose `campaign.json` holds `info`; `info["sealed"]` must be set."""
    write_json(campaign / CRATE_NAME, crate_metadata(campaign, info))


def crate_metadata(campaign: Path, info: dict[str, Any]) -> dict[str, Any]:
    """The RO-Crate of a campaign as JSON-LD; depends on nothing but the campaign's files and `info`."""
    crate = ROCrate(version="1.1")
    root = crate.root_dataset
    root["name"] = f"Campaign {info['campaign']}: sweep {info['sweep']}, stack {info['stack']}"
    root["description"] = info["sweep_definition"]["title"] + " (QUIC and TCP on an emulated link)"
    root["datePublished"] = info["sealed"]
    root["license"] = {"@id": LICENSE}
    root["conformsTo"] = _add(crate, PROFILE, "CreativeWork", name="Process Run Crate", version="0.5")
    _add(crate, LICENSE, "CreativeWork", name="Creative Commons Attribution 4.0 International")
    definition = _add_file(crate, campaign, campaign / "campaign.json")
    software = _software(crate, campaign, info)
    cells = [campaign / name for name in info["cells"] if (campaign / name).is_dir()]
    root["mentions"] = [_add_action(crate, campaign, cell, definition, software, info) for cell in cells]
    interrupted = campaign / "interrupted"
    for path in sorted(interrupted.rglob("*")) if interrupted.is_dir() else []:
        if path.is_file():
            _add_file(crate, campaign, path)
    return crate.metadata.generate()


def _add(crate: ROCrate, entity_id: str, kind: str, /, **properties: Any) -> ContextEntity:
    return crate.add(ContextEntity(crate, entity_id, properties={"@type": kind, **properties}))


def _add_file(crate: ROCrate, campaign: Path, path: Path) -> Any:
    media, text = _FORMATS.get("".join(path.suffixes)) or _FORMATS.get(
        path.suffix, ("application/octet-stream", "data")
    )
    properties = {
        "name": path.relative_to(campaign).as_posix(),
        "encodingFormat": media,
        "description": text,
        "contentSize": str(path.stat().st_size),
    }
    return crate.add_file(path, dest_path=path.relative_to(campaign).as_posix(), properties=properties)


def _software(crate: ROCrate, campaign: Path, info: dict[str, Any]) -> ContextEntity:
    """This software, requiring the components that the first cell's `environment.json` reports."""
    components: dict[str, Any] = {}
    for name in info["cells"]:
        if (campaign / name / "environment.json").is_file():
            components = read_json(campaign / name / "environment.json").get("components") or {}
            break
    required = [
        _add(
            crate, f"#component-{name}", "SoftwareApplication",
            name=name,
            softwareVersion=str(component.get("version")),
            identifier=f"sha256:{component.get('sha256')}",
        )
        for name, component in sorted(components.items())
    ]  # fmt: skip
    version = info.get("git_commit") or longlook_version()
    software = _add(
        crate, "#longlook", "SoftwareApplication",
        name="longlook",
        softwareVersion=str(version),
        description=f"stack {info['stack']}, digest {info['stack_digest']}",
    )  # fmt: skip
    if required:
        software["softwareRequirements"] = required
    return software


def longlook_version() -> str:
    """Version of this package, for campaigns measured outside a git working tree."""
    return getattr(longlook, "__version__", "unknown")


def _add_action(
    crate: ROCrate, campaign: Path, cell: Path, definition: Any, software: Any, info: dict[str, Any]
) -> Any:
    record = read_json(cell / "cell.json")
    results = [_add_file(crate, campaign, path) for path in sorted(cell.rglob("*")) if path.is_file()]
    action = _add(
        crate, f"#measure-{cell.name}", "CreateAction",
        name=f"Measure {cell.name}",
        description=f"{len(record.get('schedule') or [])} samples planned, {record.get('wall_s')} s",
        actionStatus={"@id": "http://schema.org/CompletedActionStatus"},
    )  # fmt: skip
    for key, source in (("startTime", "started_at"), ("endTime", "ended_at")):
        if record.get(source):
            action[key] = record[source]
    action.setdefault("endTime", info["sealed"])
    action["instrument"] = software
    action["object"] = [definition, *_parameters(crate, record.get("cell") or {})]
    action["result"] = results
    return action


def _parameters(crate: ROCrate, cell: dict[str, Any]) -> list[ContextEntity]:
    """The cell's parameters as `PropertyValue`s; equal ones are shared between cells."""
    flat = dict(_flat("", cell))
    found = []
    for key, value in flat.items():
        text = str(value)
        identifier = f"#parameter-{key}-{text}"
        entity = crate.get(identifier)
        if entity is None:
            entity = _add(crate, identifier, "PropertyValue", name=key, value=text)
        found.append(entity)
    return found


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """`link.rtt_ms`, `arms.quic.server`: members by their name, else by their place; simple values as they are."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}" if name else key, inner)
    elif isinstance(value, (list, tuple)) and any(isinstance(one, dict) for one in value):
        for place, one in enumerate(value):
            yield from _flat(f"{name}.{one.get('name') or place}", one)
    else:
        yield name, "-".join(map(str, value)) if isinstance(value, (list, tuple)) else value
