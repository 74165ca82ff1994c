"""The first byte of a page, read from the HARs of sealed loads."""

from longlook import paths
from longlook.experiment.first_byte import read_sites, recheck_sites
from longlook.record.campaigns import find_campaign, scan_campaigns


def test_a_first_byte_comes_after_a_round_trip_and_before_the_load_is_over_and_is_the_same_when_checked_again():
    name = max(one.id for one in scan_campaigns(paths.RAW)[0] if one.info["sweep"] == "yu-pages")
    campaign = find_campaign(paths.RAW, name)
    folder = next(iter(campaign.finished_cells()))
    samples = read_sites(campaign.cell_in(folder), folder)
    counted = [one for one in samples if one.counts]
    assert len(counted) >= 20
    rtt_ms = campaign.cell_in(folder).link.rtt_ms
    assert all(rtt_ms <= one.metrics["ttfb_ms"] <= one.metrics["plt_ms"] for one in counted)
    found = recheck_sites(campaign.cell_in(folder), folder)
    assert list(found.samples) == samples and not found.problems
