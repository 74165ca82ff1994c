"""What a file says of a server: what is refused, what an arm and a question have of it."""

import contextlib
import hashlib
import json
from types import SimpleNamespace

import pytest

from longlook import paths
from longlook.ask.question import question
from longlook.errors import LonglookError
from longlook.experiment.interleaved import _servers
from longlook.experiment.measurable import require_measurable
from longlook.experiment.recheck_parts import versions
from longlook.host.toml import read_toml
from longlook.plan.arm import Arm
from longlook.plan.conditions import arm_conditions
from longlook.plan.sweep import load_sweep
from longlook.plan.value import PlanError
from longlook.server.stated import ServerFile, is_named, keep, kept, read, require_plain, said
from longlook.site.recorded import described, open_site
from longlook.stack.arms import complete
from longlook.stack.debian import DebianPackages, Unpacked

RIGHT = """
name = "mine"
package = "mine-server"
protocols = { quic = "h3", tcp = "h1 h2" }
command = ["sh", "-c", "serve ${site} ${configuration}"]
version = ["sh", "--version"]
configuration = "mine.conf"
"""


@pytest.fixture
def stated(tmp_path, monkeypatch):
    """Writes a file with changes, and returns its path."""
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    (tmp_path / "mine.conf").write_text("listen ${address}:${port} ${protocol}\n")

    def write(old="", new=""):
        assert old in RIGHT
        (tmp_path / "mine.toml").write_text(RIGHT.replace(old, new) if old else RIGHT)
        return tmp_path / "mine.toml"

    return write


def test_the_repositorys_files_state_servers():
    found = [ServerFile.parse(read_toml(path)) for path in sorted((paths.ROOT / "servers").glob("*.toml"))]
    assert [(one.name, dict(one.protocols)) for one in found] == [
        ("caddy", {"quic": "h3", "tcp": "h1 h2"}),
        ("haproxy", {"quic": "quic4", "tcp": "ipv4"}),
        ("nginx-http3-1m", {"quic": "quic", "tcp": "ssl http2"}),
        ("nginx-http3", {"quic": "quic", "tcp": "ssl http2"}),
        ("nginx-h2", {"tcp": "ssl http2"}),
    ]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("${site}", "${sight}", r"mine\.toml: .*there is no placeholder \$\{sight\} \(did you mean site\?\)"),
        ('"sh", "-c"', '"no-such-server"', r"there is no program no-such-server here: apt-get install mine-server"),
        ('"sh", "-c"', '"./run.sh"', r"there is no program \./run\.sh here"),
        ('configuration = "mine.conf"', "", r"configuration, and \$\{configuration\} in its command"),
        ('"mine.conf"', '"other.conf"', r"cannot read the configuration .*other\.conf"),
        ('quic = "h3"', 'quick = "h3"', "'quick'"),
        ('name = "mine"', 'name = "envoy"', "'envoy' is that of a server that is here already"),
        ("package", 'debian = { release = "-o", packages = ["libc6"] }\npackage', r"debian\.release"),
        ("package", "pakage", r"unknown key pakage \(did you mean package\?\)"),
        ('version = ["sh", "--version"]', "", "version: Field required"),
    ],
)
def test_what_states_no_server_is_refused(stated, old, new, words):
    with pytest.raises(LonglookError, match=words):
        read(stated(old, new))


def test_a_file_that_is_not_there_and_one_that_was_not_kept_are_refused(stated, tmp_path):
    with pytest.raises(LonglookError, match="there is no file"):
        read(tmp_path / "none.toml")
    with pytest.raises(LonglookError, match="cannot read what the file of a server states"):
        kept("0" * 64)


def test_a_question_names_the_file_and_what_is_not_told(stated):
    asked = question("docs", "lte", None, str(stated()), 1, None)
    (cell,) = asked.sweep().cells()
    require_measurable(asked.sweep())
    assert [(arm.server, arm.cca) for arm in cell.arms] == [("by-file", "not told"), ("by-file-tcp", "cubic")]
    (digest,) = {arm.server_file for arm in cell.arms}
    assert kept(digest).files.keys() == {"mine.toml", "mine.conf"}
    assert asked.called() == {"h3": "HTTP/3 (mine)", "h2": "HTTP/2 (mine)"}
    line = kept(digest).line
    assert all(one in line for one in kept(digest).files.values())
    assert "its controller is not told; its window, and whether it takes early data, are not told" in line
    assert "HTTP/3 (mine): QUIC, controller not told, 1-RTT; HTTP/2 (mine): TCP CUBIC" in "\n".join(asked.notes())


@pytest.mark.parametrize(
    ("old", "new"), [("h1 h2", "h2"), ('package = "mine-server"\n', ""), ("name", "# a remark\nname")]
)
def test_a_file_that_was_changed_is_another_question(stated, old, new):
    before = question("docs", "lte", None, str(stated()), 1, None).sweep()
    after = question("docs", "lte", None, str(stated(old, new)), 1, None).sweep()
    assert before.definition() != after.definition()
    assert before.cells()[0].key != after.cells()[0].key


def test_each_arm_has_a_port_of_its_own_as_a_program_may_open_both(stated):
    (cell,) = question("docs", "lte", None, str(stated()), 1, None).sweep().cells()
    around = {"server_side": lambda arm: "", "server": lambda arm, port: contextlib.nullcontext(port)}
    with contextlib.ExitStack() as owned:
        assert _servers(owned, SimpleNamespace(cell=cell, **around)) == {"h3": 443, "h2": 444}


def test_of_one_protocol_the_other_side_stays_what_it_is_and_a_stated_controller_counts(stated):
    quic = stated('protocols = { quic = "h3", tcp = "h1 h2" }', 'protocols = ["quic"]\ncca = "reno"')
    asked = question("docs", "lte", None, str(quic), 1, None)
    (cell,) = asked.sweep().cells()
    require_measurable(asked.sweep())
    assert [(arm.server, arm.cca) for arm in cell.arms] == [("by-file", "reno"), ("apache", "cubic")]
    assert "its controller, reno, is what the file states" in asked.stated.line
    tcp = stated('protocols = { quic = "h3", tcp = "h1 h2" }', 'protocols = ["tcp"]')
    asked = question("docs", "lte", "return", str(tcp), 1, None)
    assert [arm.server for arm in asked.sweep().cells()[0].arms] == ["envoy", "by-file-tcp"]
    require_measurable(asked.sweep())


def test_of_a_return_visit_over_quic_nobody_tells_whether_early_data_were_taken(stated):
    asked = question("docs", "lte", "first,return", str(stated()), 1, None)
    require_measurable(asked.sweep())
    assert [(h3.server, h3.handshake) for h3, _ in (cell.arms for cell in asked.sweep().cells())] == [
        ("by-file", "1rtt"),
        ("by-file", "resumed"),
    ]
    for visit in ("learnt", "refused"):
        with pytest.raises(PlanError, match=f"--visit {visit} is of Envoy over HTTP/3: ask without --server"):
            question("docs", "lte", f"first,{visit}", str(stated()), 1, None)


@pytest.mark.parametrize(
    ("path", "kind", "query", "words"),
    [
        ("/a.css", "text/css", "v=2", r"/a\.css is asked for with the query \?v=2"),
        ("/a", "text/css", "", "/a is text/css, and a server would take it for application/octet-stream"),
        ("/a.js", "application/javascript; charset=utf-8", "", None),
    ],
)
def test_what_a_folder_of_files_cannot_be_is_refused_by_its_name(path, kind, query, words):
    found = {"/index.html": ("text/html", b"page"), path: (kind, b"body")}
    site = described("mine", found, "/index.html", "", {path: query} if query else None)
    if words is None:
        return require_plain(site, "mine")
    with pytest.raises(LonglookError, match=words):
        require_plain(site, "mine")
    return require_plain(open_site("docs"), "mine")


def unpacked(stated, package):
    """The file with packages of a release, which are here already."""
    found = Unpacked.of(DebianPackages(release="trixie", packages=("libc6", "mine")))
    program = found.root / "usr" / "bin" / "serve"
    for path in (found.folder / "packages" / "mine.deb", found.starters / "serve", program):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(package)
        path.chmod(0o755)
    path = stated('"sh", "-c", "serve', '"serve", "')
    path.write_text(path.read_text() + '[debian]\nrelease = "trixie"\npackages = ["libc6", "mine"]\n')
    return path


def test_the_next_version_of_a_releases_package_is_the_same_arm_and_the_record_tells_which_it_was(stated):
    first, second = (read(unpacked(stated, version)) for version in ("1", "2"))
    assert first.digest == second.digest
    assert first.files["mine.deb"] != second.files["mine.deb"] and first.program_sha256 != second.program_sha256
    assert first.command[0] == "serve", "wherever it is unpacked"
    own = json.loads(json.dumps(first.model_dump(mode="json")))
    assert is_named(own, first.digest) and not is_named(own | {"name": "other"}, first.digest)


def test_packages_that_were_fetched_again_or_kept_by_an_earlier_copy_are_told_as_they_are(stated):
    digest = keep(read(unpacked(stated, "1")))
    unpacked(stated, "2")
    assert kept(digest).files["mine.deb"] == read(unpacked(stated, "2")).files["mine.deb"]
    assert kept(digest).program_sha256 == read(unpacked(stated, "2")).program_sha256
    own = read(unpacked(stated, "1")).model_dump(mode="json")
    whole = hashlib.sha256(json.dumps(own, sort_keys=True).encode()).hexdigest()
    assert whole != digest and is_named(own, whole)
    (paths.CACHE / "servers" / f"{digest}.json").rename(paths.CACHE / "servers" / f"{whole}.json")
    assert kept(whole).name == "mine"


def test_the_remark_that_one_of_the_servers_takes_out_is_there():
    configuration = (paths.ROOT / "servers" / "nginx.conf").read_text()
    assert (
        configuration.count("# http3_stream") == 1
        and "http3_stream" in (paths.ROOT / "servers" / "nginx-http3-1m.toml").read_text()
    )


def test_a_sweep_names_what_one_of_the_servers_here_states(stated, tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    path = unpacked(stated, "1")
    digest = read(path).digest
    with pytest.raises(LonglookError, match="cannot read what the file of a server states"):
        kept(digest)
    (tmp_path / "servers").mkdir()
    for one in (path, tmp_path / "mine.conf"):
        one.rename(tmp_path / "servers" / one.name)
    assert kept(digest).program_sha256 == read(tmp_path / "servers" / "mine.toml").program_sha256


def test_every_server_by_file_of_a_sweep_is_one_that_is_here():
    stated = {said(path)[0].digest for path in (paths.ROOT / "servers").glob("*.toml")}
    sweeps = [load_sweep(path, complete) for path in paths.SWEEPS.rglob("*.toml") if "server_file" in path.read_text()]
    named = {arm.server_file for sweep in sweeps for cell in sweep.cells() for arm in cell.arms} - {None}
    assert len(sweeps) == 3 and named <= stated and len(named) == 4


ARM = {"stack": "todaypages", "protocol": "quic", "client": "chromium", "handshake": "1rtt"}


@pytest.mark.parametrize("arm", [{"server": "envoy", "cca": "not told"}, {"server": "by-file"}])
def test_only_an_arm_with_a_file_has_what_such_have(arm):
    with pytest.raises(LonglookError, match=r"server_file is of the servers by-file|that is not told is of a QUIC"):
        Arm.parse(ARM | arm)


def test_a_record_has_what_the_digest_of_its_arm_names(stated):
    statement = read(stated())
    arm = Arm.parse(ARM | {"server": "by-file", "cca": "not told", "server_file": statement.digest, "name": "h3"})
    assert arm_conditions(arm)["server"] == f"by-file {statement.digest[:8]}"
    own = json.loads(json.dumps(statement.model_dump(mode="json")))
    around = {"stack": "s", "components": {"x": {"version": "1"}}, "server_versions": {"mine": "9"}}
    assert list(versions([arm], around | {"server_files": {statement.digest: own}})) == []
    for wrong in ({}, {statement.digest: own | {"name": "other"}}):
        assert "is not what it is named by" in next(versions([arm], around | {"server_files": wrong}))
