"""The control of every kind of arm: what it vouches for."""

from book_sample import PUBLISHED, write_sample

from longlook.book import data as book_data
from longlook.book import more_controls


def test_a_control_vouches_for_what_it_is_like(tmp_path):
    """That of the sample has one object without loss, over QUIC and over TCP; table B.2 has pages of many, too."""
    write_sample(tmp_path, figures=["4.6a", "4.6d", "4.6b"])
    data = book_data.read(PUBLISHED, tmp_path / "data" / "processed")
    rows = more_controls.covers(data).data.split("<tr>")[2:]
    found = {
        cells[1:3]: (cells[3], int(cells[4]))
        for row in rows
        for cells in [tuple(cell.partition(">")[2].partition("<")[0] for cell in row.split("<td")[1:])]
    }
    assert found == {
        ("B.1", "up to 10"): ("2 of 2", 40),
        ("B.2", "up to 10"): ("2 of 2", 40),
        ("B.2", "more"): ("0 of 2", 0),
        ("B.3", "up to 10"): ("0 of 2", 0),
    }


def test_tables_stand_in_their_order():
    names = [("a", "x"), ("muthuraj2024", "B.10"), ("muthuraj2024", "B.2"), ("muthuraj2024", "4.1"), ("a", "b-c")]
    found = sorted(names, key=more_controls._place)
    assert [table for _, table in found] == ["B.2", "B.10", "4.1", "b-c", "x"]
