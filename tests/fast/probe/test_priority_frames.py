"""What a browser says of its order, read from its control stream and from its HTTP/2 frames."""

import pytest

from longlook.probe.priorities import (
    PRIORITY_UPDATE,
    UNSAID,
    Http2Request,
    first_said,
    joined,
    parsed,
    pieces,
    requests_of,
)

SETTINGS = "041b018001000006800400000740643301c0000001742b1ce7a0ac308e"
BEGIN = f"00{SETTINGS}c000000415384af80156"
"""A stream's type, its settings, and a frame of a reserved type that browsers send by chance."""
UPDATES = ("800f07000700753d302c2069", "800f07000404753d30", "800f0709023069", "800f070003404069")


def test_frames_of_a_control_stream_are_told_apart():
    found = list(parsed(bytes.fromhex(BEGIN + "".join(UPDATES))))
    assert [kind for kind, _ in found] == [4, 0x415384AF8, PRIORITY_UPDATE, PRIORITY_UPDATE, UNSAID, PRIORITY_UPDATE]
    assert first_said(found) == ["u=0, i", "u=0", "i"] and first_said(found, UNSAID) == ["i"]


def test_the_type_that_is_said_instead_is_a_reserved_one_and_as_long():
    assert (UNSAID - 0x21) % 0x1F == 0 and (PRIORITY_UPDATE - 0x21) % 0x1F
    assert max(PRIORITY_UPDATE, UNSAID) < 1 << 30 and min(PRIORITY_UPDATE, UNSAID) >= 1 << 14


def test_a_stream_is_put_together_from_frames_of_several_streams():
    rows = [
        ["2", "0", "", "0001"],
        ["6,2,10", "1,1,0", "17,2", "b0,0203,ff"],
        ["2", "1", "3", "0304"],  # once more, and further
        ["2", "1", "9", "09"],  # behind a gap
    ]
    assert joined(pieces(rows)) == bytes([0, 1, 2, 3, 4])


def stream(kind, number, weight, **fields):
    said = "".join(
        f'<field name="http2.header"><field name="http2.header.name" show="{name.replace("_", ":")}"/>'
        f'<field name="http2.header.value" show="{value}"/></field>'
        for name, value in fields.items()
    )
    return (
        f'<field name="http2.stream"><field name="http2.type" show="{kind}"/>'
        f'<field name="http2.streamid" show="{number}"/><field name="http2.headers.weight_real" show="{weight}"/>{said}'
        "</field>"
    )


def test_requests_over_http2_with_their_weights_and_what_became_of_them():
    packets = (
        stream(1, 1, 256, _path="/index.html", priority="u=0, i"),
        stream(1, 3, 147, _path="/script-000.js") + stream(1, 5, 183, _path="/img/000.png", priority="u=2, i"),
        '<field name="http2.stream"><field name="http2.type" show="4"/><field name="http2.streamid" show="0"/></field>',
        stream(2, 5, 220) + stream(2, 7, 220),
    )
    text = "<pdml>" + "".join(f'<packet><proto name="http2">{one}</proto></packet>' for one in packets) + "</pdml>"
    assert requests_of(text) == [
        Http2Request("/index.html", "u=0, i", 256),
        Http2Request("/script-000.js", "", 147),
        Http2Request("/img/000.png", "u=2, i", 183, [220]),
    ]


def test_without_packets_nothing_was_asked():
    assert requests_of("<pdml></pdml>") == [] and joined([]) == b"" and list(parsed(b"")) == []


@pytest.mark.parametrize("cut", [1, 5])
def test_a_frame_that_is_cut_off_is_told_as_far_as_it_came(cut):
    whole = bytes.fromhex("00" + UPDATES[0])
    ((kind, content),) = parsed(whole[:-cut])
    assert kind == PRIORITY_UPDATE and len(content) == 7 - cut
