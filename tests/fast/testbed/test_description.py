"""The testbeds' file: what it gives, and what it says of mistakes."""

import pytest

from longlook.errors import LonglookError
from longlook.testbed.description import (
    EmulabDescription,
    NetnsDescription,
    format_testbeds,
    load_testbeds,
    parse_description,
)

EMULAB = {
    "name": "emulab1",
    "driver": "emulab",
    "user": "alice",
    "server": {"host": "pc1.emulab.net", "address": "192.168.1.1"},
    "client": {"host": "pc2.emulab.net", "address": "192.168.1.2", "port": 2222},
    "bridge": {"host": "pc3.emulab.net", "pipes": {"server_to_client": 60100, "client_to_server": 60110}},
}


def written(tmp_path, text):
    path = tmp_path / "testbeds.toml"
    path.write_text(text)
    return path


def test_what_is_written_is_read_back(tmp_path):
    beds = (parse_description({"name": "default"}), parse_description(EMULAB))
    assert load_testbeds(written(tmp_path, format_testbeds(beds))) == beds
    assert isinstance(beds[0], NetnsDescription) and isinstance(beds[1], EmulabDescription)
    assert (beds[1].server.port, beds[1].client.port) == (22, 2222)


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "one .*testbed.* table"),
        ("[[testbeds]]\nname='a'", "unknown: testbeds"),
        ("[[testbed]]\nname='a'\n[[testbed]]\nname='a'", "two testbeds are called a"),
        ("[[testbed]]\nname='a'\ndriver='docker'", "known: netns, emulab"),
        ("[[testbed]]\nname='A b'", "name"),
        ("[[testbed]]\nname='a'\nhost='x'", "known keys of NetnsDescription"),
        ("[[testbed]]\nname='a'\ndriver='emulab'\nuser='u'", "server: Field required"),
        ("not toml", "not TOML"),
    ],
)  # fmt: skip
def test_a_mistake_is_named(tmp_path, text, words):
    with pytest.raises(LonglookError, match=words):
        load_testbeds(written(tmp_path, text))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(LonglookError, match=r"no-such\.toml"):
        load_testbeds(tmp_path / "no-such.toml")
