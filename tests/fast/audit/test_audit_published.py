"""What the audit says of the published numbers themselves, and of cells that no sweep has."""

import dataclasses
import shutil

import pytest
from audited import QUIC, TCP, empty
from campaigns import (
    believed,
    make_campaign,
)

from longlook import paths
from longlook.audit import (
    audit,
    format_text,
    published_without_sweep,
    run_audit,
)
from longlook.audit.published import check_published, difference_follows
from longlook.dataset.process import process
from longlook.published.cells import PublishedMean
from longlook.published.muthuraj2024 import page_load_times, slips


def test_the_published_differences_follow_from_their_means():
    found = check_published(page_load_times(), ())
    assert (found.cells, found.means) == (309, 618)
    assert found.wrong_differences == () and found.below_floor == ()


def test_a_wrong_published_difference_is_found():
    published = page_load_times()
    published[3] = dataclasses.replace(published[3], printed_pct_diff="11")  # the means give 10.29
    lost = {"quic": PublishedMean(95.14, 1.0, 20)}  # a digit lost: far below the floor, and 1012 %
    published[5] = dataclasses.replace(published[5], arms=published[5].arms | lost)
    found = check_published(published, ())
    assert len(found.wrong_differences) == 2
    assert "printed 11 %, the means give 10.29 %" in found.wrong_differences[0]
    (below,) = found.below_floor
    assert below.startswith("B.1: quic 1 MB x 1")


def test_every_published_cell_is_in_a_sweep():
    assert published_without_sweep() == []


def test_a_published_cell_that_no_sweep_has_is_one_error_with_file_and_key(data, tmp_path):
    shutil.copytree(paths.PUBLISHED, tmp_path / "published")
    path = tmp_path / "published" / "muthuraj2024" / "appendix_b.csv"
    lines = path.read_text().splitlines(keepends=True)
    assert lines[1].count(",10,36,") == lines[2].count(",10,36,") == 1
    lines[1:3] = [line.replace(",10,36,", ",11,36,") for line in lines[1:3]]
    path.write_text("".join(lines))
    key = page_load_times(tmp_path / "published")[0].cell.key
    (line,) = published_without_sweep(tmp_path / "published")
    assert f"{path}, line 2" in line and key in line and "series 4.6a" in line and "1 more of the table" in line
    make_campaign(data.raw, left=QUIC, right=TCP)
    process(data.raw, data.processed, tmp_path / "published", check=believed)
    roots = {"raw_root": data.raw, "processed_root": data.processed, "published_root": tmp_path / "published"}
    report = run_audit(**roots, check=believed)
    assert report.failures == (f"integrity: {line}",)


FOLLOWS = [
    (100.0, 172.4, "72", True),
    (100.0, 172.6, "72", False),
    (100.0, 204.9, "1e+02", True),
    (100.0, 206.1, "1e+02", False),
    (1000.0, 1005.3, "0.53", True),
    (1000.0, 1005.34, "0.53", True),
    (1000.0, 1005.4, "0.53", False),
    (1000.0, 1007.0, "0.53", False),
    (100.0, 73.0, "-27", True),
    (100.0, 73.0, "27", False),
    (100.0, 100.0, "0", True),
    (100.0, 110.0, "0", False),
]


@pytest.mark.parametrize(("quic", "tcp", "printed", "follows"), FOLLOWS)
def test_two_significant_digits_are_the_tolerance(quic, tcp, printed, follows):
    left, right = (PublishedMean(mean, 1.0, 20) for mean in (quic, tcp))
    assert difference_follows(left, right, printed) is follows


def test_known_slips_are_reported_and_nothing_is_corrected(tmp_path):
    known = slips()
    said = {(slip.says, slip.elsewhere_says) for slip in known}
    assert ("60.0.3108.0", "60.0.3108.1") in said and ("111.0.3112.101", "111.0.5563.0") in said
    text = format_text(audit(empty(tmp_path), page_load_times(), slips=known))
    assert all(slip.item in text for slip in known)
