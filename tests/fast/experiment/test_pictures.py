"""What was seen of a page, read from a cell's records."""

import base64

import pytest
from plans import cell

from longlook.errors import LonglookError
from longlook.experiment.pictures import films
from longlook.experiment.refusals import refusals
from longlook.record.samples import SAMPLES_NAME, SamplesWriter

JPEG = b"\xff\xd8\xff\xe0"
PROGRESS = [[0, 0], [100.0, 40], [250.0, 100], [300.0, 100]]


def record(arm, index, order, accepted=True, **seen):
    told = {"progress": PROGRESS, "pictures": [[at, base64.b64encode(JPEG + bytes([n])).decode()]
                                               for n, at in enumerate((0, 100.0, 250.0))]} | seen  # fmt: skip
    return {
        "schema": "longlook.sample/1", "campaign": "c", "cell_id": "x", "arm": arm, "index": index, "attempt": 0,
        "order": order, "accepted": accepted, "set_aside": index == 0,
        "reject_reason": None if accepted else "protocol", "metrics": {"speed_index_ms": 190.0},
        "artefact": {"kind": "har", "paints": told},
    }  # fmt: skip


def write(folder, *records):
    with SamplesWriter(folder / SAMPLES_NAME) as writer:
        for one in records:
            writer.append(one)


def test_each_arm_has_the_film_of_its_accepted_load(tmp_path):
    write(
        tmp_path,
        record("quic", 0, 0, pictures=[]),
        record("tcp", 1, 1, accepted=False),
        record("quic", 1, 2),
        record("tcp", 1, 3),
        record("tcp", 2, 4, pictures=[]),
    )
    found = films(tmp_path)
    assert set(found) == {"quic", "tcp"}
    film = found["quic"]
    assert film.ends_ms == 250 and film.metrics["speed_index_ms"] == 190
    assert [film.picture_at(at)[-1] for at in (0, 99, 100, 249, 1000)] == [0, 0, 1, 1, 2]


def test_a_load_without_pictures_or_an_end_has_no_film(tmp_path):
    write(tmp_path, record("quic", 1, 0, pictures=[]), record("tcp", 1, 1, progress=[[0, 0], [10, 50]]))
    assert films(tmp_path) == {}


@pytest.mark.parametrize(
    "pictures",
    [
        [[0, base64.b64encode(b"<svg onload=...>").decode()]],
        [[0, base64.b64encode(JPEG + bytes(50_000)).decode()]],
        [[0, "no base64!"]],
        [[0, base64.b64encode(JPEG).decode()]] * 65,
    ],
)
def test_what_is_no_small_jpeg_is_refused(tmp_path, pictures):
    write(tmp_path, record("quic", 1, 0, pictures=pictures))
    with pytest.raises(LonglookError):
        films(tmp_path)


def test_a_stack_without_the_library_is_refused_by_name():
    page = {"kind": "webpage", "size_bytes": 450_888, "resources": 18}
    told = refusals(cell(experiment="pages", workload=page))
    assert any("needs speedline-core for a webpage, which stack quicv1 has not" in one for one in told)
    assert refusals(cell(stack="yu2021pages", experiment="pages", workload=page)) == []
    assert refusals(cell(stack="quicv1")) == []
