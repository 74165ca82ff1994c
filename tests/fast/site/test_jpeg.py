"""Images are exact to the byte and valid."""

import struct

import pytest

from longlook.errors import LonglookError
from longlook.site.jpeg import jpeg


def segments(data):
    """Marker and length of every JPEG segment up to start of scan (ITU T.81, B.1)."""
    assert data[:2] == b"\xff\xd8"
    position, found = 2, []
    while True:
        marker, length = struct.unpack(">HH", data[position : position + 4])
        found.append((marker, length))
        position += 2 + length
        if marker == 0xFFDA:
            return found


@pytest.mark.parametrize("size", [159, 163, 200, 5120, 65700, 65701, 65692 + 4, 102400, 1_000_000, 10_000_000])
def test_a_jpeg_has_exactly_its_size_and_whole_segments(size):
    data = jpeg(size, seed=3)
    assert len(data) == size
    assert data.endswith(b"\xff\xd9")
    markers = [marker for marker, _ in segments(data)]
    assert markers[0] == 0xFFE0
    assert markers[-1] == 0xFFDA


@pytest.mark.parametrize("size", range(65690, 65710))
def test_sizes_around_a_full_comment_segment(size):
    assert len(jpeg(size)) == size
    segments(jpeg(size))


@pytest.mark.parametrize("size", [1, 158, 160, 162])
def test_impossible_sizes_are_refused(size):
    with pytest.raises(LonglookError, match=f"no JPEG of {size} bytes"):
        jpeg(size)


def test_the_padding_does_not_compress_and_depends_on_the_seed():
    import zlib

    assert len(zlib.compress(jpeg(100_000, seed=1))) > 99_000
    assert jpeg(5120, seed=1) != jpeg(5120, seed=2)
