"""Envoy's own account of its connection, and the changed copy of its program."""

import json
from types import SimpleNamespace

import pytest
import yaml

from longlook.errors import NotSupported
from longlook.plan.arm import Arm
from longlook.server.base import ServerSettings
from longlook.server.envoy import Envoy, statsd_table
from longlook.stack.changed import change

LINES = [
    "100.0 envoy.http3.downstream.cx_tx_packets_total:4|c",
    "100.020000 envoy.listener.x.cx_rtt_us:40000.000000|h",
    "100.020000 envoy.listener.x.cx_tx_estimated_bandwidth:1000000.000000|h",
    "100.040000 envoy.listener.x.cx_tx_estimated_bandwidth:1000000.000000|h",
]


def test_window_is_bandwidth_times_rtt():
    table = statsd_table(LINES[:3])
    assert list(table["cwnd_bytes"]) == [40000.0] and list(table["smoothed_rtt_ms"]) == [40.0]


def test_a_bandwidth_before_any_rtt_says_nothing():
    assert statsd_table(LINES[3:]).empty


RECIPE = [{"offset": 12, "before": "aabb", "value": "02000000", "becomes": "01000000", "after": "cc"}]
PROGRAM = bytes(10) + bytes.fromhex("aabb02000000cc") + bytes(9)


def test_only_the_named_bytes_change():
    made = change(PROGRAM, RECIPE, "envoy", "envoy-n1.toml")
    assert [index for index, (a, b) in enumerate(zip(PROGRAM, made, strict=True)) if a != b] == [12]
    assert made[12] == 1


def test_a_program_moved_by_another_loader_is_found():
    assert change(bytes(3) + PROGRAM, RECIPE, "envoy", "envoy-n1.toml")[15] == 1


@pytest.mark.parametrize("program", [bytes(40), bytes(3) + PROGRAM + PROGRAM])
def test_another_program_is_refused(program):
    with pytest.raises(NotSupported, match=r"not the program that envoy-n1\.toml was made for"):
        change(program, RECIPE, "envoy", "envoy-n1.toml")


def told_of(cost_us):
    """The pieces of the configuration for an arm with this cost per request."""
    arm = Arm.parse(
        {"stack": "x", "protocol": "quic", "server": "envoy", "client": "chromium", "request_cost_us": cost_us}
    )
    hosts = SimpleNamespace(hosts={"server": SimpleNamespace(address="10.0.0.1")})
    return Envoy(hosts, None, ServerSettings(arm, None, None, None))._cost()


def test_a_cost_per_request_is_the_workers_to_bear():
    told = told_of(50)
    (lua,) = yaml.safe_load(told["request_cost"])
    assert "os.clock() + 0.000050" in lua["typed_config"]["default_source_code"]["inline_string"]
    assert "work_us" in yaml.safe_load(told["request_time"])


def test_without_one_envoy_is_told_nothing_of_it():
    assert set(told_of(None).values()) == {""}


@pytest.mark.parametrize(
    ("version", "flags", "told"),
    [
        ("v1", {}, {}),
        ("v1", {"quic_priority_respect_incremental": True}, {"quic_priority_respect_incremental": True}),
        ("h3-29", {}, {"quic_disable_version_draft_29": False}),
        ("h3-29", {"a": True}, {"quic_disable_version_draft_29": False, "a": True}),
    ],
)
def test_flags_of_its_library_are_merged_into_its_configuration(version, flags, told):
    facts = SimpleNamespace(version=version, server_flags=flags)
    stack = SimpleNamespace(protocol=lambda _: facts)
    hosts = SimpleNamespace(hosts={"server": SimpleNamespace(address="10.0.0.1")})
    arm = Arm.parse({"stack": "x", "protocol": "quic", "server": "envoy", "client": "chromium"})
    merged = Envoy(hosts, stack, ServerSettings(arm, None, None, None))._flags()
    if not told:
        assert merged == []
        return
    option, text = merged
    (layer,) = json.loads(text)["layered_runtime"]["layers"]
    prefix = "envoy.reloadable_features.FLAGS_envoy_quiche_reloadable_flag_"
    assert option == "--config-yaml"
    assert layer["static_layer"] == {prefix + name: value for name, value in told.items()}
