"""What rule 2 makes of sealed loads."""

import pandas as pd
import pytest

from longlook import paths
from longlook.book import rejudged
from longlook.record.campaigns import find_campaign

LOADS = pd.DataFrame(
    [
        ("c", "one", "quic", 1, 0, True, None, 100.0),
        ("c", "one", "quic", 2, 0, False, "disturbed", 200.0),
        ("c", "one", "quic", 2, 1, True, None, 300.0),
        ("c", "one", "tcp", 1, 0, False, "cca", 400.0),
    ],
    columns=[*rejudged.LOAD, "accepted", "reject_reason", "value"],
).assign(set_aside=False)


def test_the_loads_of_the_table_have_the_other_verdict_and_all_others_their_own():
    changed = LOADS.iloc[:2][[*rejudged.LOAD]]
    found = rejudged.by_second_rule(LOADS, changed)
    assert found["accepted"].tolist() == [False, True, True, False]
    assert found["reject_reason"].fillna("").tolist() == ["disturbed", "", "", "cca"]
    assert rejudged.first_accepted(found)["value"].tolist() == [200.0]


CAMPAIGNS = (
    "reference-figure-4.6e-20261121T143758",
    "reference-yu-100kb-20261124T162047",
    "reference-figure-4.11c-20261122T035105",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_the_kept_table_is_what_the_records_say(name):
    kept = rejudged.kept()
    own = kept[kept["campaign"] == name]
    assert len(own) and set(own.itertuples(index=False, name=None)) == set(
        rejudged.changed_loads(find_campaign(paths.RAW, name))
    )
