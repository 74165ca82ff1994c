"""Yu and Benson's printed numbers: read whole, and what they are."""

from collections import Counter

import pytest

from longlook.errors import LonglookError
from longlook.published import yu2021
from longlook.published.files import rows
from longlook.published.registry import published_cells

FOUND = yu2021.differences()


def test_every_provider_has_every_size_under_each_of_five_conditions():
    assert Counter(one.provider for one in FOUND) == dict.fromkeys(yu2021.PROVIDERS, 15)
    for provider in yu2021.PROVIDERS:
        squares = {(one.size_bytes, one.rtt_ms, one.added_loss_pct) for one in FOUND if one.provider == provider}
        links = [(15, 0), (15, 0.1), (15, 1), (65, 0), (115, 0)]
        assert squares == {(size, *link) for size in yu2021.SIZES.values() for link in links}


def test_zero_is_printed_where_the_test_found_nothing_and_nowhere_else():
    assert {one.pct for one in FOUND if not one.is_significant} == {0.0}
    assert all(one.pct for one in FOUND if one.is_significant)
    assert sum(one.is_significant for one in FOUND) == 27
    assert {one.n for one in FOUND} == {40} and all("a8571a1" in one.source for one in FOUND)


def test_the_squares_that_the_text_explains():
    def pct(provider, size_kb, rtt_ms, loss_pct):
        place = (provider, yu2021.SIZES[size_kb], rtt_ms, loss_pct)
        return next(one.pct for one in FOUND if (one.provider, one.size_bytes, one.rtt_ms, one.added_loss_pct) == place)

    assert pct("google", 100, 15, 0) == -20.5
    assert pct("cloudflare", 5000, 15, 1) == 23.6
    assert pct("facebook", 100, 115, 0) == 32.2


def test_sizes_are_those_of_the_authors_own_server():
    own = {int(row["size_kb"]): int(row["size_bytes"]) for row in yu2021.endpoints() if row["provider"] == "local"}
    assert own == yu2021.SIZES
    pages = [row for row in yu2021.endpoints() if row["workload"] == "web page"]
    assert len(pages) == 9 and all(int(row["resources_count"]) >= 10 for row in pages)


def test_the_base_round_trip_is_the_middle_of_the_stated_range_and_the_rate_the_stated_one():
    found = [row for _, row in rows(yu2021.STUDY, "text.csv")]
    assert len(found) == 53
    stated = [float(row["value"]) for row in found if row["metric"] == "base_rtt_ms"]
    assert sum(stated) / 2 == yu2021.BASE_RTT_MS
    assert [float(row["value"]) for row in found if row["metric"] == "bandwidth_mbps"] == [yu2021.BANDWIDTH_MBPS]


def test_none_of_them_is_a_mean_of_an_arm():
    assert not [one for one in published_cells() if one.cell.study == yu2021.STUDY]


def test_a_mistake_names_file_and_line(tmp_path):
    folder = tmp_path / yu2021.STUDY
    folder.mkdir()
    (folder / "differences.csv").write_text("provider,size_kb\ngoogle,200\n")
    with pytest.raises(LonglookError, match=r"differences\.csv, line 2"):
        yu2021.differences(tmp_path)
