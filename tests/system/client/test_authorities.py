"""Certificates of authorities that a client reads beside the server's own."""

import pytest
from arms import arm_on
from cryptography import x509

from longlook.client.base import LoadFailed, Request
from longlook.plan.link import Link
from longlook.plan.workload import Download
from longlook.server import SERVERS
from longlook.site.certificate import authorities, make_certificate

STACK = "shreedhar2022openssl12"
PAIRS = {"curl": "envoy", "systemcurl": "apache"}


def test_authorities_are_so_many_and_each_is_one_for_itself():
    found = x509.load_pem_x509_certificates(authorities(5))
    assert len(found) == 5 == len({one.subject for one in found})
    assert all(one.issuer == one.subject for one in found)
    assert all(one.extensions.get_extension_for_class(x509.BasicConstraints).value.ca for one in found)
    found[0].verify_directly_issued_by(found[0])


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.timeout(120)
@pytest.mark.parametrize("client", PAIRS)
def test_a_client_reads_them_and_still_checks(testbed_name, tmp_path, client):
    how = {"link": Link(bandwidth_mbps=10, rtt_ms=40), "workload": Download(size_bytes=50_000), "handshake": "1rtt"}
    with arm_on(testbed_name, tmp_path, SERVERS[PAIRS[client]], STACK, client=client, authorities=1000, **how) as on:
        own, request = on.side.client, Request(on.site.start, timeout_s=10)
        before = own.cpu_seconds()
        assert own.fetch(request).objects[0].status == 200
        many = own.cpu_seconds() - before
        one = own.settings.arm.model_copy(update={"authorities": None})
        with type(own)(on.bed, own.stack, type(own.settings)(**vars(own.settings) | {"arm": one})) as other:
            before = other.cpu_seconds()
            assert other.fetch(request).objects[0].status == 200
            assert many > other.cpu_seconds() - before
        wrong = make_certificate(tmp_path / "other").certificate
        with (
            type(own)(on.bed, own.stack, type(own.settings)(**vars(own.settings) | {"certificate": wrong})) as other,
            pytest.raises(LoadFailed, match=r"(?i)certificate|SSL|peer"),
        ):
            other.fetch(request)
