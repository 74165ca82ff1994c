"""The RO-Crate of a sealed campaign: readable by rocrate, true to its files, and covered by the manifest."""

import pytest
from campaigns import make_campaign
from rocrate.rocrate import ROCrate

from longlook.record.crate import PROFILE, crate_metadata
from longlook.record.manifest import files_of


@pytest.fixture
def campaign(tmp_path):
    return make_campaign(tmp_path)


def test_the_crate_follows_the_process_run_crate_profile(campaign):
    crate = ROCrate(campaign.path)
    assert crate.root_dataset["conformsTo"].id == PROFILE
    assert crate.version == "1.1"
    for key in ("name", "description", "datePublished", "license"):
        assert crate.root_dataset[key]
    actions = crate.root_dataset["mentions"]
    assert [action.type for action in actions] == ["CreateAction"] * 2
    for action, cell in zip(actions, campaign.cells(), strict=True):
        assert action["instrument"].type == "SoftwareApplication"
        assert action["endTime"]
        assert {item.id for item in action["result"]} == {
            f"{cell.id}/{name}" for name in ("cell.json", "environment.json", "executed.ipynb", "samples.jsonl.zst")
        }
        values = {item["name"]: item["value"] for item in action["object"] if item.type == "PropertyValue"}
        assert values["workload.objects.0.size_bytes"] == str(cell.workload.object_bytes)
        assert values["link.rtt_ms"] == "36.0"
        assert (values["arms.quic.server"], values["arms.tcp.server"]) == ("envoy", "apache")


def test_the_measured_software_is_named_with_its_hash(campaign):
    software = ROCrate(campaign.path).dereference("#longlook")
    (chromium,) = software["softwareRequirements"]
    assert chromium["softwareVersion"] == "111.0.5555.0" and chromium["identifier"] == "sha256:" + "cd" * 32


def test_the_crate_lists_every_file_of_the_campaign_and_no_other(campaign):
    crate = ROCrate(campaign.path)
    listed = {entity.id for entity in crate.get_entities() if entity.type == "File"}
    assert listed | {"ro-crate-metadata.json"} == set(files_of(campaign.path))


def test_the_crate_is_covered_by_the_manifest(campaign):
    assert "  ro-crate-metadata.json\n" in (campaign.path / "manifest.sha256").read_text()


def test_the_crate_depends_on_the_campaign_only(campaign):
    assert crate_metadata(campaign.path, campaign.info) == crate_metadata(campaign.path, campaign.info)
