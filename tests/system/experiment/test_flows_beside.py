"""Flows that run beside loads, with real packets: beside every load, or it is rejected and says so."""

import os
import signal

import pytest
from arms import is_right
from plans import cell

from longlook.errors import LonglookError
from longlook.experiment import interleaved
from longlook.experiment.cross import CrossTraffic
from longlook.experiment.interleaved import run_interleaved
from longlook.experiment.recheck import recheck_interleaved
from longlook.link.linkpipe import LinkPipe
from longlook.plan.link import Link
from longlook.record.samples import read_records
from longlook.testbed.netns import NetnsTestbed

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.timeout(240)]
CABLE = {"bandwidth_mbps": 5, "upload_mbps": 1, "rtt_ms": 28}


def measured(testbed, folder, loads, **link):
    own = cell(link=CABLE | link, workload={"size_kb": 50, "count": 4}, loads=loads)
    place = folder / "c" / own.id
    place.mkdir(parents=True)
    run_interleaved(own, place, "c", testbed)
    return own, place, list(read_records(place))


@pytest.mark.browser
@pytest.mark.parametrize(
    ("flows", "cca", "more"),
    [
        (2, "bbr", {}),
        (1, "cubic", {"queue_discipline": "fq_codel"}),
        (1, "cubic", {"queue_discipline": "pie"}),
        (2, "bbr", {"cross_protocol": "quic"}),
    ],
)
def test_flows_run_beside_every_load(testbed_name, tmp_path, flows, cca, more):
    own, place, records = measured(testbed_name, tmp_path, 2, cross_flows=flows, cross_cca=cca, **more)
    assert all(map(is_right, records)), [one["reject_detail"] for one in records]
    for one in records:
        assert [flow["cca"] for flow in one["cross_traffic"]] == [cca] * flows
        assert {flow.get("protocol") for flow in one["cross_traffic"]} == {more.get("cross_protocol")}
        rate = sum(flow["mbps"] for flow in one["cross_traffic"])
        carried = own.workload.total_bytes + rate * one["metrics"]["plt_ms"] * 125
        assert 0.5 < rate < 5 and one["link"]["server_to_client"]["bytes_out"] > 0.95 * carried
    assert recheck_interleaved(own, place).problems == []


class Ends(CrossTraffic):
    """One whose sender is gone before the first load."""

    def _wait_begun(self):
        super()._wait_begun()
        os.kill(self._diag._pid, signal.SIGKILL)


@pytest.mark.browser
def test_a_load_beside_which_no_flow_runs_is_rejected(testbed_name, tmp_path, monkeypatch):
    monkeypatch.setattr(interleaved, "CrossTraffic", Ends)
    *_, records = measured(testbed_name, tmp_path, 1, cross_flows=1)
    said = {(one["accepted"], one["reject_reason"], one["reject_detail"]) for one in records}
    assert said == {(False, "cross_traffic", "flows beside it: none; asked for: cubic")}


def test_flows_that_cannot_begin_say_so(testbed_name, monkeypatch):
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        driver.configure(Link.parse(CABLE), seed=1)
        monkeypatch.setattr("longlook.experiment.cross.BEGIN_TIMEOUT_S", 0.5)
        with pytest.raises(LonglookError, match=r"1 of 1 flows of cross traffic carried [\d,]+ bytes in 0\.5 s"):
            CrossTraffic(bed, Link.parse(CABLE | {"cross_flows": 1})).__enter__()
        nobody = Link.parse(CABLE | {"cross_flows": 1}).model_copy(update={"cross_cca": "nobody"})
        with pytest.raises(LonglookError, match="sender did not start, by nobody"):
            CrossTraffic(bed, nobody).__enter__()
