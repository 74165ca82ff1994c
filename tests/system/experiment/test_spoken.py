"""What a browser says on the wire, asked inside a testbed; and the table that is kept of it."""

import pytest

from longlook import paths
from longlook.client.chromium.offered import offered, spoken
from longlook.errors import LonglookError
from longlook.experiment.spoken import BROWSER, Spoken, browsers, features, read, write
from longlook.stack import known_stacks, load_stack
from longlook.stack.install import install_part
from longlook.stack.part import load_part
from longlook.testbed.netns import NetnsTestbed


def test_the_table_is_read_as_it_was_written(tmp_path):
    rows = [Spoken("chromium-64", "64.0.3264.0", "Q039", "Q037 Q039", 9), Spoken("chromium-1", "1.0.0.0", "", "", 0)]
    write(tmp_path / "spoken.csv", rows)
    assert read(tmp_path / "spoken.csv") == rows


def test_a_table_of_something_else_says_what_writes_it_anew(tmp_path):
    head = "part,version,offers,speaks,disk_bytes\n"
    for text in ("part,colour\nchromium-64,red\n", head + "chromium-64,64.0,Q039,Q039,large\n"):
        (tmp_path / "spoken.csv").write_text(text)
        with pytest.raises(LonglookError, match="longlook browsers"):
            read(tmp_path / "spoken.csv")
    with pytest.raises(LonglookError, match="longlook browsers"):
        read(tmp_path / "absent.csv")


def test_every_browser_is_in_the_kept_table_with_its_version():
    kept = {one.part: one for one in read(paths.SPOKEN)}
    assert list(kept) == [part.name for part in browsers()]
    for part in browsers():
        assert kept[part.name].version == part.spec.components[BROWSER].version
        assert 50e6 < kept[part.name].disk_bytes < 1e9


def test_what_the_parts_say_of_versions_the_wire_says_too():
    kept = {one.part: one.speaks.split() for one in read(paths.SPOKEN)}
    for part in browsers():
        for version in part.spec.clients[BROWSER]["quic"]:
            assert version in kept[part.name], f"{part.name} is said to speak {version}, and did not offer it"


def test_every_stack_asks_its_browser_for_a_version_that_it_offers():
    kept = {one.part: one.speaks.split() for one in read(paths.SPOKEN)}
    for name in known_stacks():
        spec = load_stack(name).spec
        part = spec.parts.get("browser")
        if part is not None and part.name in kept:
            assert spec.quic.version in kept[part.name], name


@pytest.mark.netns
@pytest.mark.parametrize(
    ("name", "alone", "others"), [("chromium-64", "Q039", ("Q037", "Q043")), ("chromium-111", "v1", ("h3-29",))]
)
def test_a_browser_offers_what_it_is_asked_for_and_its_own_choice_where_it_does_not_know_it(
    testbed_name, name, alone, others
):
    part = load_part(name)
    program, flags = install_part(name).program(BROWSER), features(part)
    with NetnsTestbed(testbed_name) as bed:
        assert offered(bed, program, flags) == alone
        assert offered(bed, program, (*flags, "--quic-version=Q999")) == alone
        assert tuple(spoken(bed, program, flags, (*others, "Q044"))) == others
