"""Real links whose packets have another fate than was set are noticed."""

import pytest
from wrong_links import FATES as LINK

from longlook.link.fates import fate_problems, measure_fates
from longlook.link.linkpipe import LinkPipe
from longlook.testbed.netns import NetnsTestbed


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("corrupt_pct", 4, "corrupted"),
        ("duplicate_pct", 1, "doubled"),
        ("gemodel_p_pct", 3, "lost"),
        ("jitter_sd_ms", 8, "standard deviation"),
    ],
)
def test_another_link_is_noticed(testbed_name, name, value, words):
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        driver.configure(LINK.model_copy(update={name: value}), seed=1)
        found = fate_problems(LINK, measure_fates(bed, driver, LINK))
    assert len([one for one in found if words in one]) == 2, found
