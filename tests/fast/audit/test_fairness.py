"""Tables 4.1 and 4.2 beside what was measured, as text."""

import pytest
from campaigns import believed, make_transfers

from longlook import paths
from longlook.audit import run_audit
from longlook.audit.fairness import share_lines
from longlook.dataset.process import process


@pytest.fixture
def tables(tmp_path):
    """A function that measures rates (Mbit/s) of QUIC and TCP and returns the published tables beside them."""

    def measured(*rates):
        if rates:
            make_transfers(tmp_path / "raw", rates, role="reference")
        process(tmp_path / "raw", tmp_path / "processed", check=believed)
        roots = {"raw_root": tmp_path / "raw", "processed_root": tmp_path / "processed"}
        report = run_audit(**roots, published_root=paths.PUBLISHED, verify_hashes=False)
        return report.sections[0].tables if report.sections else ()

    return measured


def test_the_same_winner_agrees(tables):
    (table,) = tables(3.6, 1.3)
    (cell,) = table.cells
    assert cell.agrees and table.table == "4.1" and table.campaigns[0].startswith("reference-table-4.1-")
    text = "\n".join(share_lines([table]))
    assert "QUIC vs TCP: agrees" in text and "3.74 (0.14)" in text and "3 runs" in text
    assert "Jain's index 0.799 -> 0.821" in text


def test_another_outcome_does_not(tables):
    (table,) = tables(2.5, 2.5)
    assert not table.cells[0].agrees and "published quic1, here fair" in "\n".join(share_lines([table]))


def test_the_error_is_relative_to_the_published_means(tables):
    (table,) = tables(3.73, 1.23)
    assert table.overall.median_error < 0.02


def test_nothing_measured_is_no_scenario(tables):
    assert tables() == () and share_lines(()) == []
