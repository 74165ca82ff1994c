"""The kept tables of what Envoys have built in."""

import pytest

from longlook import paths
from longlook.errors import LonglookError
from longlook.experiment.built_in import BuiltIn, Flag, envoys, read, read_flags, require_heeded, said, write


def test_tables_are_read_as_they_were_written(tmp_path):
    rows = [BuiltIn("envoy-1.40", "1.40.0", "0a1b", "bbr", "2"), BuiltIn("envoy-1.36", "1.36.4", "2c3d", "cubic", "")]
    flags = [Flag("envoy-1.40", "reloadable_flag_quic_default_to_bbr", 1)]
    write(tmp_path / "servers.csv", rows)
    write(tmp_path / "flags.csv", flags)
    assert read(tmp_path / "servers.csv") == rows and read_flags(tmp_path / "flags.csv") == flags


def test_before_they_are_written_there_is_nothing(tmp_path):
    assert read(tmp_path / "servers.csv") == [] == read_flags(tmp_path / "flags.csv")


def test_the_envoys_are_in_the_order_of_age():
    names = [part.name for part in envoys()]
    assert names == ["envoy-1.36", "envoy-1.37", "envoy-1.38", "envoy-1.39", "envoy-1.40"]


def test_every_envoy_in_the_kept_tables_is_the_pinned_one():
    kept = {one.part: one for one in read(paths.BUILT_IN)}
    if not kept:
        pytest.skip("`longlook servers` has not been run: nothing is kept yet")
    assert {part.name: part.spec.components["envoy"].version for part in envoys()} == {
        name: one.version for name, one in kept.items()
    }
    flags = read_flags(paths.QUICHE_FLAGS)
    assert {one.part for one in flags} == set(kept)
    assert {one.default for one in flags if one.flag.endswith("testonly_default_true")} == {1}


def program(path, line):
    path.write_text(f"#!/bin/sh\necho '{line}'\n")
    path.chmod(0o755)
    return path


def test_a_program_names_its_commit_and_version(tmp_path):
    envoy = program(tmp_path / "envoy", "envoy  version: 9c3de41b/1.40.0/Clean/RELEASE/BoringSSL")
    assert said(envoy) == ("9c3de41b", "1.40.0")
    with pytest.raises(LonglookError, match="--version: something else"):
        said(program(tmp_path / "other", "something else"))


def test_an_envoy_that_would_not_heed_what_it_is_asked_is_refused():
    known = b"\0FLAGS_envoy_quiche_reloadable_flag_quic_default_to_bbr\0"
    require_heeded("envoy-1.40", known)
    with pytest.raises(LonglookError, match="does not know the setting FLAGS_envoy_quiche"):
        require_heeded("envoy-1.30", known.replace(b"quiche", b"quic"))
