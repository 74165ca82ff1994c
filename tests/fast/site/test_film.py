"""The film: its list, its manifest, and an encoder that makes what is listed, or says that it does not."""

import hashlib
from xml.etree import ElementTree

import pytest
from plans import parse_workload
from test_write import check_against_the_disk

from longlook import paths
from longlook.errors import LonglookError
from longlook.plan.value import PlanError
from longlook.plan.workload import FILM_KBPS, SEGMENT_S, Video
from longlook.site import film, video
from longlook.site.expected import sizes
from longlook.site.write import write_site

SHORT = Video(duration_s=4)


def test_the_list_has_every_file_of_the_longest_film_and_each_bitrate_is_filled():
    listed = film.listed(film.LONGEST)
    assert list(listed) == list(film.paths(film.LONGEST)) and len(listed) == film.LONGEST.object_count
    for kbps in FILM_KBPS:
        own = [size for path, (size, _) in listed.items() if film.segment_of(path) and film.segment_of(path)[0] == kbps]
        mean = sum(own) * 8 / 1000 / film.LONGEST.duration_s
        assert len(own) == film.LONGEST.segments and 0.9 < mean / kbps < 1.1
        assert max(own[1:]) < 1.2 * kbps * 125 * SEGMENT_S


def test_the_manifest_names_the_files():
    root = ElementTree.fromstring(film.manifest(SHORT))
    space = {"mpd": "urn:mpeg:dash:schema:mpd:2011"}
    template = root.find(".//mpd:SegmentTemplate", space)
    named = set()
    for one in root.findall(".//mpd:Representation", space):
        kbps = one.get("id")
        named.add(template.get("initialization").replace("$RepresentationID$", kbps))
        media = template.get("media").replace("$RepresentationID$", kbps)
        named |= {media.replace("$Number%03d$", f"{index:03d}") for index in range(SHORT.segments)}
    assert named == set(film.paths(SHORT)) == sizes(SHORT).keys() - {film.MANIFEST}
    assert root.get("mediaPresentationDuration") == "PT4S"


def test_segments_are_told_by_their_paths():
    assert film.segment_of(film.segment_path(145, 7)) == (145, 7)
    assert film.segment_of(film.init_path(145)) is None and film.segment_of(film.MANIFEST) is None


@pytest.mark.parametrize("seconds", [3, 2, 182, 4.5])
def test_a_film_has_whole_segments_and_an_end(seconds):
    with pytest.raises(PlanError, match="duration_s"):
        parse_workload({"kind": "video", "duration_s": seconds})


def test_a_stream_is_split_into_what_fragments_have_in_common_and_fragments():
    def box(kind, body=b""):
        return (8 + len(body)).to_bytes(4, "big") + kind + body

    head, first, second = (
        box(b"ftyp", b"x") + box(b"moov"),
        box(b"moof") + box(b"mdat", b"12"),
        box(b"moof", b"3") + box(b"mdat"),
    )
    assert video.split(head + first + second) == (head, [first, second])
    with pytest.raises(LonglookError, match="no MP4"):
        video.split(head + first[:-1])


@pytest.mark.needs("ffmpeg")
def test_a_short_film_is_the_beginning_of_the_long_one_made_once_and_copied(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    site = write_site(tmp_path / "www", SHORT, seed=1)
    assert site.start == (film.MANIFEST,) and site.sizes == sizes(SHORT)
    check_against_the_disk(site)
    (kept,) = (tmp_path / "cache" / "films").glob("*-4s")
    monkeypatch.setattr(video, "encode", None)  # not again
    (site.root / "film/145/001.m4s").write_bytes(b"spoilt")
    assert video.made_film(SHORT) == kept and not video.wrong_file(kept, SHORT)


def test_a_film_of_other_bytes_is_refused_by_name_and_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "CACHE", tmp_path)

    def other(folder, seconds):
        for path in film.paths(Video(duration_s=seconds)):
            (folder / path[1:]).parent.mkdir(parents=True, exist_ok=True)
            (folder / path[1:]).write_bytes(b"another film")

    monkeypatch.setattr(video, "encode", other)
    digest = hashlib.sha256(b"another film").hexdigest()[:12]
    with pytest.raises(LonglookError, match=rf"makes another film than the pinned one: /film/145/init.mp4: .*{digest}"):
        video.made_film(SHORT)
    assert [one.name for one in (tmp_path / "films").iterdir()] == ["film.lock"]


def test_without_ffmpeg_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "CACHE", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LonglookError, match="apt-get install ffmpeg"):
        video.made_film(SHORT)
