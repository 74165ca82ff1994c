"""The chapter on a film under loss: tables, predictions, numbers and the chart, with known sessions and without any."""

import html

import pandas as pd
import pytest
from book_sample import PUBLISHED, interleaved, write_sweeps
from films import FILM, session
from table_rows import rows_of

from longlook import paths
from longlook.book import data as book_data
from longlook.book.judged import claim_columns, judged_of
from longlook.book.shreedhar2022 import sessions
from longlook.book.shreedhar2022.names import newest
from longlook.book.shreedhar2022.numbers.video import NUMBERS
from longlook.book.shreedhar2022.sessions import LONG, LOSSES, QUIC, SHORT, TCP, at
from longlook.book.value import SPACE, Measured
from longlook.client.played import timeline
from longlook.experiment.sessions import SESSIONS, over_time
from longlook.experiment.sessions import sessions as kept_sessions
from longlook.figure import style
from longlook.figure.live import LiveChart

SESSIONS_OF_EACH = 4
STARTUP_MS = {QUIC: {0: 300, 2: 320, 10: 600, 20: 1000}, TCP: {0: 310, 2: 340, 10: 1200, 20: 1050}}
KBPS = {QUIC: {0: 2900, 2: 2850, 10: 2500, 20: 2000}, TCP: {0: 2900, 2: 2850, 10: 2000, 20: 800}}


def _metrics(arm, loss, index):
    still = 3.0 if (arm, loss) == (TCP, 20) else 0.0
    return {
        "startup_ms": STARTUP_MS[arm][loss] + index, "stalls": still, "stalled_ms": 500.0 * still * (1 + index / 100),
        "switches": 4.0, "mean_kbps": KBPS[arm][loss] + index, "bytes": 2e7 + index, "frames": 1400.0 + index,
        "frames_dropped": 2.0, "connect_ms": 10.0 + index / 10, "session_ms": 60_000.0 + index / 10,
        "client_cpu_s": 9.0 + index / 10, "server_cpu_s": 1.0 + index / 10,
    }  # fmt: skip


def _result(campaign, experiment, cell):
    def metrics(cell, arm, index):
        return _metrics(arm.name, int(cell.link.loss_pct), index)

    return interleaved(campaign, experiment, cell, metrics, SESSIONS_OF_EACH)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    processed = tmp_path_factory.mktemp("processed")
    write_sweeps(processed, (SHORT, LONG), "shreedhar2022", _result)
    return book_data.read(PUBLISHED, processed)


@pytest.fixture
def nothing(tmp_path):
    return book_data.read(PUBLISHED, tmp_path)


def test_sessions_are_told_by_loss_each_way(data):
    own = newest(data, SHORT)
    assert own.summary(TCP, "stalls", **at(SHORT, 10.0)).mean == 3
    assert own.loads(QUIC, "mean_kbps", **at(SHORT, 5.0)) == (2501, 2502, 2503, 2504)
    text = sessions.table(SHORT, data).data
    assert text.count("<tr") == 1 + 2 * len(LOSSES) and "HTTP/2" in text and "10 %" in text


def test_each_prediction_is_held_against_its_bounds(data):
    # HTTP/2 begins 1.05 times as late with 10 %: not at least 1.1
    assert [one.holds for one in judged_of(SHORT, data)] == [True, True, True, False, True, True]
    assert [one.holds for one in judged_of(LONG, data)] == [True] * 3


def test_what_is_printed_stands_beside_what_was_measured(data, nothing):
    *_, tcp, quic = rows_of(sessions.counts(data))
    assert tcp == ["10 %", "HTTP/2", "2.2", "3", "3", "2.13", "4", "4"]
    assert quic == ["10 %", "HTTP/3", "2.08", "0", "0", "2.58", "4", "4"]
    first, _, _, last = rows_of(sessions.startup(data))[-4:]
    assert first[:3] == ["0 %", style.DASH, style.DASH] and first[4:6] == ["0.31", "0.30"]
    assert last[:6] == ["10 %", "8.59", "7.65", f"{style.MINUS}10.9 %", "1.05", "1.00"]
    assert last[6].startswith(f"{style.MINUS}4.8 % ({style.MINUS}")
    unmeasured = rows_of(sessions.counts(nothing))[-1]
    assert unmeasured == ["10 %", "HTTP/3", "2.08", *[style.DASH] * 2, "2.58", *[style.DASH] * 2]
    assert rows_of(sessions.startup(nothing))[-2] == [
        "5 %", style.DASH, style.DASH, f"{style.MINUS}40.0 %", *[style.DASH] * 3
    ]  # fmt: skip


def test_claims_are_computed_from_the_tables(data):
    columns = claim_columns("shreedhar2022", data, "video")
    own = {
        one.newest.criterion.id[-2:]: [part.holds for part in one.parts] for one in columns["Re-measured (reference)"]
    }
    assert own == {"09": [True] * 3, "10": [], "11": [True, True, None] * 2, "12": [True, True, False] * 2}
    printed = {one.newest.criterion.id[-2:]: [part.holds for part in one.parts] for one in columns["Published"]}
    assert printed == {"09": [True] * 2, "10": [True], "11": [True] * 3, "12": [True] * 3}
    text = " ".join(part.text for some in columns.values() for one in some for part in one.parts)
    assert "no stalls of either" in text and "difference no interval" in text


def test_the_still_is_shown_with_words_and_is_told_of_where_it_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "STILL", tmp_path / "player.webp")
    assert sessions.still().data == style.NOTHING_YET
    paths.STILL.write_bytes(b"RIFF")
    text = sessions.still().data
    assert "base64,UklGRg==" in text and f'alt="{html.escape(sessions.STILL_TEXT)}"' in text


def test_numbers_of_the_text(data):
    said = NUMBERS["startup-tcp-10"](Measured(data, "shreedhar2022")).text
    assert said.startswith("1.05") and said.endswith("s")
    assert NUMBERS["session-cpu"](Measured(data, "shreedhar2022")).text == f"17{SPACE}%"


def test_a_session_is_drawn_from_the_records_of_its_campaign(data, monkeypatch):
    rows = [{"arm": arm, "index": 1, "attempt": 0} | row for arm in (QUIC, TCP) for row in timeline(session())]
    monkeypatch.setattr(sessions, "over_time", lambda *_: pd.DataFrame(rows))
    found = sessions.chart(SHORT, 10, data)
    assert isinstance(found, LiveChart) and found.chart.to_dict()["vconcat"] and found.narrow.to_dict()
    assert "HTTP/2: begins after 1.0 s, ends at 1100 kbit/s with 4 s ahead" in found.alt_text
    assert "16% of its time" in found.alt_text
    for drawn in (found.chart.to_dict(), found.narrow.to_dict()):
        (zoom,) = drawn["params"]
        lines = [panel["layer"][1]["name"] for panel in drawn["vconcat"]]
        assert zoom["bind"] == "scales" and zoom["views"] == lines and len(set(lines)) == 4
        assert drawn["resolve"]["scale"] == {"x": "shared"}
    assert "shift" in found.hint


def test_the_first_session_of_each_arm_that_counts_is_the_one_that_is_shown(data, tmp_path, monkeypatch):
    records = [
        {
            "arm": arm,
            "index": index,
            "attempt": attempt,
            "accepted": attempt == 1 or index == 0,
            "set_aside": index == 0,
        }
        | {"artefact": session(stall_ms=1000.0 * (1 + attempt))}
        for arm in (QUIC, TCP)
        for index, attempt in ((0, 0), (1, 0), (1, 1))
    ]
    row = data.rows("cells", "shreedhar2022", SHORT, "reference").query("loss_pct == 20").iloc[0]
    folder = tmp_path / row["campaign"] / row["cell_id"]
    folder.mkdir(parents=True)
    monkeypatch.setattr("longlook.experiment.sessions.read_records", lambda _: records)
    monkeypatch.setattr(sessions, "read_records", lambda _: records)
    monkeypatch.setattr(paths, "RAW", tmp_path)
    over_time(folder).to_parquet(folder / SESSIONS, index=False)
    assert kept_sessions(folder).equals(over_time(folder)) and len(kept_sessions(folder)) == 6 * 37
    shown = sessions.over_time(newest(data, SHORT), SHORT, 10.0)
    assert {
        (arm, index, attempt) for arm, index, attempt in shown[["arm", "index", "attempt"]].itertuples(index=False)
    } == {
        (QUIC, 1, 1),
        (TCP, 1, 1),
    }
    assert len(shown) == 2 * 37 and FILM.duration_s == 20
