"""What a campaign is compared with was measured with the same driver."""

import pytest

from longlook.book.data import load
from longlook.book.drivers import beside
from longlook.book.evidence import campaigns_of

STUDY = "muthuraj2024"
ALONG, AFTERWARDS = "reference-figure-4.6d-20261121T033314", "reference-figure-4.6d-20261128T180143"


def of_figure(data, table="arms"):
    return set(data.rows(table, STUDY, "4.6d", "reference")["campaign"])


@pytest.mark.parametrize(("sweep", "figure"), [("slow-client", ALONG), ("live-driver", AFTERWARDS)])
def test_a_campaign_stands_beside_the_figure_by_its_own_driver(sweep, figure):
    data = load()
    campaign = campaigns_of(sweep, data)[0]
    assert of_figure(beside(campaign, data)) == of_figure(beside(campaign, data), "contrasts") == {figure}
    assert of_figure(data) == {AFTERWARDS}


def test_what_one_driver_alone_measured_counts_whatever_it_is_compared_with():
    data = load()
    alike = beside(AFTERWARDS, data)
    assert len(alike.rows("arms", STUDY, "4.6a", "reference")) == len(data.rows("arms", STUDY, "4.6a", "reference")) > 0
    assert beside("reference-unknown-20260101T000000", data) is data
