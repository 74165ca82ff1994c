"""Servers by file, with the real browser: right ones are accepted, wrong ones rejected, each for its own reason."""

import json
import os
import re
import signal
import threading

import arms
import pytest
import stated_servers

from longlook.errors import LonglookError
from longlook.experiment.content import require_content
from longlook.plan.workload import Page
from longlook.server.by_file import ByFile, ByFileTcp
from longlook.server.stated import read

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(120)]
TEXT = {ByFile: stated_servers.aioquic, ByFileTcp: stated_servers.nginx}
UDP_TOO = "import socket, time; s = socket.socket(2, 2); s.bind(('${address}', ${port})); time.sleep(99)"


def arm_on(testbed_name, folder, server, text=None, **how):
    (protocol,) = server.offer.protocols
    stated = stated_servers.arm(folder, text or TEXT[server](), protocol)
    return arms.arm_on(testbed_name, folder, server, "quicv1", **stated | how)


@pytest.mark.parametrize(
    ("server", "controller"),
    [(ByFile, {"cca": "not told", "evidence": "file"}), (ByFileTcp, {"cca": "cubic", "evidence": "connection"})],
)
def test_a_right_page_is_accepted_and_its_bytes_are_compared(testbed_name, tmp_path, server, controller):
    with arm_on(testbed_name, tmp_path, server) as on:
        for index in range(3):
            record = on.side.load(index)
            on.side.client.drop_connections()
            assert arms.is_right(record), record["reject_detail"]
            assert (record["controller"], record["zero_rtt"]) == (controller, None)
            assert record["opened_over_link"]["opened"] == 1
        assert require_content(on.side.client, on.site, "mine") == 3
        assert on.side.server.version().startswith({ByFile: "its own", ByFileTcp: "nginx version: nginx/1."}[server])
    (tmp_path / "wrong").mkdir()
    wrong = arm_on(testbed_name, tmp_path / "wrong", server, spoil=arms.change_a_byte)
    with wrong as on, pytest.raises(LonglookError, match=r"/img/001.jpg is not the workload's"):
        require_content(on.side.client, on.site, "mine")


def test_who_returns_over_quic_has_a_connection_for_each_load(testbed_name, tmp_path):
    """aioquic gives tickets with early data here; whether it took them nobody tells."""
    text = stated_servers.aioquic().replace('"none"', '"tickets"')
    with arm_on(testbed_name, tmp_path, ByFile, text, handshake="resumed") as on:
        for index in range(3):
            record = on.side.load(index)
            on.side.client.drop_connections()
            assert arms.is_right(record), record["reject_detail"]
            assert (record["zero_rtt"], record["opened_over_link"]["opened"]) == (None, 1)
        on.side.load(3)
        record = on.side.load(4)
    assert (record["accepted"], record["reject_reason"]) == (False, "connection_reused")


def require_debian(file):
    """Skips where the packages of another Debian release, which a file states, cannot be had."""
    try:
        read(file)
    except LonglookError as error:
        pytest.skip(f"no server by {file.name}: {error}")


@pytest.mark.parametrize("server", [ByFile, ByFileTcp])
@pytest.mark.parametrize(
    ("file", "version"),
    [
        (stated_servers.NGINX_HTTP3, r"nginx version: nginx/1\.26\.3"),
        (stated_servers.HAPROXY, r"HAProxy version 3\.0\.11-\S+ .+"),
    ],
)
def test_one_program_serves_pages_over_both_protocols(testbed_name, tmp_path, server, file, version):
    require_debian(file)
    with arm_on(testbed_name, tmp_path, server, stated_servers.nginx(file=file)) as on:
        for index in range(2):
            record = on.side.load(index)
            on.side.client.drop_connections()
            assert arms.is_right(record), record["reject_detail"]
            assert record["protocols_seen"] == [{ByFile: "h3", ByFileTcp: "h2"}[server]]
            assert record["opened_over_link"]["opened"] == 1
        assert require_content(on.side.client, on.site, "mine") == 3
        assert re.fullmatch(version, on.side.server.version())


def test_nginx_that_speaks_http2_alone_is_never_taken_for_http3(testbed_name, tmp_path):
    """Its QUIC answers, and knows no HTTP/3; over TCP, on the same port, it would have served the page."""
    require_debian(stated_servers.NGINX_HTTP3)
    text = stated_servers.nginx("http3 off;", stated_servers.NGINX_HTTP3)
    text = text.replace("    ssl_certificate ", "    listen ${address}:${port} ssl http2;\n    ssl_certificate ")
    with arm_on(testbed_name, tmp_path, ByFile, text) as on:
        record = on.side.load(0)
        assert (record["accepted"], record["reject_reason"]) == (False, "load_failed")
        assert "ERR_QUIC_PROTOCOL_ERROR" in record["reject_detail"]


def test_one_that_compresses_is_rejected(testbed_name, tmp_path):
    text = stated_servers.nginx("gzip on; gzip_min_length 1; gzip_types image/jpeg;")
    with arm_on(testbed_name, tmp_path, ByFileTcp, text) as on:
        assert arms.verdicts(on) == [(False, "compressed")] * 2


def of_quic(command):
    return f'name = "mine"\nprotocols = ["quic"]\nversion = ["true"]\ncommand = {json.dumps(command)}\n'


NOT_UP = {
    "ends": (
        of_quic(["sh", "-c", "echo no licence: $ROLE $TESTCASE; ls $CERTS; stat -c %a $HOME; exit 3"]),
        r"mine ended at start \(3\): no licence: server http3\ncert\.pem\npriv\.key\n700",
    ),
    "speaks HTTP/2": (
        stated_servers.nginx().replace("tcp =", "quic ="),
        "nginx-h2 was not ready within 2 s: nothing listens on UDP port 443",
    ),
}


@pytest.mark.parametrize("fault", NOT_UP)
def test_one_that_does_not_come_up_says_its_last_words(testbed_name, tmp_path, monkeypatch, fault):
    text, words = NOT_UP[fault]
    monkeypatch.setattr(ByFile, "start_timeout_s", 2.0)
    with pytest.raises(LonglookError, match=words), arm_on(testbed_name, tmp_path, ByFile, text):
        pytest.fail("it started")


def test_http2_in_place_of_http3_is_never_taken_for_it(testbed_name, tmp_path):
    """Its UDP port is open, and nobody answers there."""
    start = json.dumps(["sh", "-c", f'python3 -c "{UDP_TOO}" & exec /usr/sbin/nginx -e stderr -c "${{configuration}}"'])
    text = stated_servers.nginx().replace("tcp =", "quic =")
    text = "\n".join(f"command = {start}" if line.startswith("command") else line for line in text.splitlines())
    with arm_on(testbed_name, tmp_path, ByFile, text) as on:
        assert arms.verdicts(on, loads=1) == [(False, "load_failed")]


def test_one_that_ends_during_a_load_is_a_failed_load_and_says_so(testbed_name, tmp_path):
    large = Page.parse({"size_kb": 5000, "count": 1})
    with arm_on(testbed_name, tmp_path, ByFileTcp, workload=large) as on:
        ending = threading.Timer(0.4, os.killpg, (on.side.server.process.pid, signal.SIGKILL))
        ending.start()
        record = on.side.load(0)
        ending.join()
        assert record["reject_reason"] in ("load_failed", "cut_short", "unanswered")
        with pytest.raises(LonglookError, match="nginx-h2 died"):
            on.side.server.require_alive()
