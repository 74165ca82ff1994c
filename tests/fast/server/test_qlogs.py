"""Windows from the qlogs that servers write: three heads, three notions of time."""

import json
import time

import pytest

from longlook.errors import LonglookError
from longlook.server import qlogs
from longlook.server.base import CONGESTION_COLUMNS

AT = 1_700_000_000.0


def written(path, *records):
    path.write_text("".join(f"\x1e{json.dumps(one)}\n" for one in records))
    return path


def metrics(at, **data):
    return {"time": at, "name": "recovery:metrics_updated", "data": data}


def head(**common):
    return {"qlog_format": "JSON-SEQ", "qlog_version": "0.3", "trace": {"common_fields": common}}


def test_an_absolute_time_is_taken_as_it_is(tmp_path):
    log = written(
        tmp_path / "a.sqlog",
        head(time_format="absolute"),
        metrics(AT * 1e3, cwnd=12000, bytes_in_flight=0),
        {"time": AT * 1e3 + 1, "name": "recovery:packet_lost", "data": {}},
        metrics(AT * 1e3 + 36, cwnd=13200, bytes_in_flight=1200, ssthresh=9000, smoothed_rtt=36.5),
    )
    table = qlogs.congestion(log)
    assert list(table.columns) == CONGESTION_COLUMNS and len(table) == 2
    assert table["time_s"].tolist() == pytest.approx([AT, AT + 0.036])
    assert table["cwnd_bytes"].tolist() == [12000, 13200] and table["lost"].isna().all()
    assert table.iloc[-1][["ssthresh_bytes", "bytes_in_flight", "smoothed_rtt_ms"]].tolist() == [9000, 1200, 36.5]


def test_what_has_not_changed_stays_as_it_was(tmp_path):
    clock = {"clock_type": "monotonic", "epoch": "unknown", "wall_clock_time": "2023-11-14T22:13:20.123456789Z"}
    log = written(
        tmp_path / "b.sqlog",
        head(reference_time=clock),
        metrics(0.5, congestion_window=40960, smoothed_rtt=36.0),
        metrics(2.25, bytes_in_flight=1280),
    )
    table = qlogs.congestion(log)
    assert table["cwnd_bytes"].tolist() == [40960, 40960]
    assert table["time_s"].tolist() == pytest.approx([AT + 0.123956, AT + 0.125706], abs=1e-5)


@pytest.mark.parametrize("zone", ["Z", "+00:00"])
@pytest.mark.parametrize("fraction", ["", ".5", ".500000000"])
def test_times_of_day_with_any_fraction(tmp_path, fraction, zone):
    log = written(
        tmp_path / "c.sqlog",
        head(reference_time={"wall_clock_time": f"2023-11-14T22:13:20{fraction}{zone}"}),
        metrics(0, congestion_window=1),
    )
    assert qlogs.congestion(log)["time_s"].iloc[0] == pytest.approx(AT + (0.5 if fraction else 0.0))


def test_without_a_time_of_day_it_is_when_the_file_was_made(tmp_path):
    before = time.time()
    log = written(tmp_path / "d.sqlog", head(time_format="relative", reference_time=0), metrics(7, congestion_window=1))
    at = qlogs.congestion(log)["time_s"].iloc[0]
    assert before - 0.1 < at - 0.007 < time.time() + 0.1


def test_an_event_that_is_cut_ends_it(tmp_path):
    log = written(tmp_path / "e.sqlog", head(time_format="absolute"), metrics(1.0, cwnd=1))
    log.write_text(log.read_text() + '\x1e{"time": 2, "name": "recovery:metr')
    assert len(qlogs.congestion(log)) == 1


def test_what_is_no_qlog_is_an_error(tmp_path):
    (tmp_path / "f").write_text("nothing")
    with pytest.raises(LonglookError, match="no qlog"):
        qlogs.congestion(tmp_path / "f")


def test_the_newest_connection_counts(tmp_path):
    assert qlogs.newest(tmp_path) is None
    for name in ("one", "two"):
        written(tmp_path / name, head(time_format="absolute"))
        time.sleep(0.01)
    assert qlogs.newest(tmp_path).name == "two"
