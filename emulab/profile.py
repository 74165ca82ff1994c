"""QUIC against TCP: replicas of server - link bridge - client, ready to be measured by longlook.

Each replica N is a triple of bare-metal nodes: **server-N** (192.168.N.1), **client-N** (192.168.N.2) and, in the
middle of the bridged link **link-N**, a FreeBSD node with Dummynet, **link-N_bridge**. One replica is the testbed of
Muthuraj (2024), section 3.2 and appendix A; more of them measure parts of one sweep side by side.

Instructions:
Wait until every node says that its start-up has *Finished* (about half an hour), save the manifest of the experiment
as `manifest.xml`, and go on with step 3 of `emulab/README.md` in the repository:
`longlook testbeds manifest.xml > testbeds.toml`.
"""

# Emulab's portal runs this file with the geni-lib that it brings along, so it imports nothing else of this repository
# and keeps to syntax that every Python 3 (and 2.7) reads.
import re

import geni.portal as portal
import geni.rspec.emulab  # noqa: F401  (registers BridgedLink)
import geni.rspec.pg as pg

MAX_REPLICAS = 8
NETMASK = "255.255.255.0"
REPOSITORY = "/local/repository"  # where Emulab clones a repository-based profile on every node

IMAGE_URN = "urn:publicid:IDN+emulab.net+image+emulab-ops%s"
# Host images of each stack (thesis, section 3.2.1 and table 3.2); other Ubuntus can be asked for.
STACK_UBUNTU = {"quicv1": "UBUNTU22-64-STD", "gquic37": "UBUNTU18-64-STD"}
AS_IN_THESIS = "thesis"
UBUNTUS = (AS_IN_THESIS, "UBUNTU18-64-STD", "UBUNTU22-64-STD", "UBUNTU24-64-STD")
TOO_OLD = "UBUNTU18-64-STD"  # for what longlook itself is made of; setup-node.sh would say so and stop
INSTEAD = "UBUNTU22-64-STD"
# The thesis writes the bridge's image with one colon and no slashes; so it is kept.
BRIDGE_IMAGE = IMAGE_URN % ":FBSD132-64-STD"

NODE_TYPE = re.compile(r"^[A-Za-z0-9][-A-Za-z0-9_.]*\Z")
PROJECT = re.compile(r"^[A-Za-z][-A-Za-z0-9_]*\Z")


def define_parameters(context):
    """What the portal asks for before an experiment starts."""
    kinds = portal.ParameterType
    context.defineParameter(
        "stack", "Software stack", kinds.STRING, "quicv1",
        [("quicv1", "quicv1: QUIC v1, Chromium 111 (2024)"), ("gquic37", "gquic37: Google QUIC 37, Chromium 64 (2017)")],
        longDescription="Which stack of envs/ is installed on server and client. It also chooses their system.",
    )  # fmt: skip
    context.defineParameter(
        "replicas", "Number of server - bridge - client triples", kinds.INTEGER, 1,
        longDescription="1 to %d. Each takes three nodes; a sweep is shared out among all of them." % MAX_REPLICAS,
    )  # fmt: skip
    context.defineParameter("server_type", "Node type of the servers", kinds.NODETYPE, "d430")
    context.defineParameter("client_type", "Node type of the clients", kinds.NODETYPE, "d710")
    context.defineParameter("bridge_type", "Node type of the link bridges", kinds.NODETYPE, "d710")
    context.defineParameter(
        "project", "Emulab project", kinds.STRING, "",
        longDescription="Logs of the set-up are copied to /proj/PROJECT/longlook, where they outlive the experiment. "
        "Empty: they stay on the nodes.",
    )  # fmt: skip
    context.defineParameter(
        "ubuntu", "System of servers and clients", kinds.STRING, AS_IN_THESIS, list(UBUNTUS), advanced=True,
        longDescription="As in the thesis: Ubuntu 22.04 for quicv1, 18.04 for gquic37. longlook's own environment does not "
        "install on 18.04 (emulab/README.md), so 22.04 is proposed in its place.",
    )  # fmt: skip


def chosen_ubuntu(params):
    """Name of the disk image of servers and clients."""
    return STACK_UBUNTU[params.stack] if params.ubuntu == AS_IN_THESIS else params.ubuntu


def problems(params):
    """What is wrong with the parameters: pairs of a message and the parameter's name."""
    found = []
    if params.stack not in STACK_UBUNTU:
        found.append(
            ("stack %r is unknown: choose one of %s" % (params.stack, ", ".join(sorted(STACK_UBUNTU))), "stack")
        )
    if not 1 <= params.replicas <= MAX_REPLICAS:
        found.append(("replicas is %s: choose 1 to %d" % (params.replicas, MAX_REPLICAS), "replicas"))
    for name in ("server_type", "client_type", "bridge_type"):
        value = getattr(params, name)
        if not NODE_TYPE.match(value):
            found.append(("%s is %r: give the name of a node type, such as d430 or d710" % (name, value), name))
    # It becomes part of a command line and of a path, hence the narrow pattern.
    if params.project and not PROJECT.match(params.project):
        found.append(("project is %r: give the name of an Emulab project, or nothing" % params.project, "project"))
    if params.ubuntu not in UBUNTUS:
        found.append(("ubuntu is %r: choose one of %s" % (params.ubuntu, ", ".join(UBUNTUS)), "ubuntu"))
    return found


def warnings(params):
    """What is allowed and will not work: triples of a message, the parameters' names, and values that would."""
    if chosen_ubuntu(params) != TOO_OLD:
        return []
    message = (
        "%s is too old for longlook's own environment and the set-up would stop there; the browsers of 2017 run on %s"
    )
    return [(message % (TOO_OLD, INSTEAD), ["ubuntu", "stack"], {"ubuntu": INSTEAD})]


def setup_service(script, shell, params):
    """The service that runs a set-up script of this repository as root when the node has booted."""
    command = "sudo -H %s %s/emulab/%s %s %s" % (shell, REPOSITORY, script, params.stack, params.project)
    return pg.Execute(shell="sh", command=command.strip())


def add_host(request, name, hardware_type, address, params):
    """A server or client; returns its interface on the experiment's network."""
    node = request.RawPC(name)
    node.hardware_type = hardware_type
    node.disk_image = IMAGE_URN % ("//" + chosen_ubuntu(params))
    interface = node.addInterface()
    interface.addAddress(pg.IPv4Address(address, NETMASK))
    node.addService(setup_service("setup-node.sh", "/bin/bash", params))
    return interface


def add_replica(request, number, params):
    """One server - bridge - client triple in a network of its own."""
    server = add_host(request, "server-%d" % number, params.server_type, "192.168.%d.1" % number, params)
    client = add_host(request, "client-%d" % number, params.client_type, "192.168.%d.2" % number, params)
    # No bandwidth, delay or loss: the link driver sets them before each cell, as the thesis did with delay_config.
    link = request.BridgedLink("link-%d" % number)
    # The server comes first: it is then on the bridge's interface 0, whose packets pass Emulab's pipe 0.
    link.addInterface(server)
    link.addInterface(client)
    link.bridge.hardware_type = params.bridge_type
    link.bridge.disk_image = BRIDGE_IMAGE
    link.bridge.addService(setup_service("setup-bridge.sh", "/bin/sh", params))


def build_request(params, request):
    """Fill a request with what valid parameters ask for, and return it."""
    for number in range(1, params.replicas + 1):
        add_replica(request, number, params)
    return request


def main():
    context = portal.Context()
    define_parameters(context)
    params = context.bindParameters()
    for message, name in problems(params):
        context.reportError(portal.ParameterError(message, [name]))
    context.verifyParameters()  # does not return if anything was reported
    for message, names, better in warnings(params):
        context.reportWarning(portal.ParameterWarning(message, names, better))
    # The portal takes warnings as errors the first time, and shows the user the values that it proposes instead.
    context.verifyParameters()
    context.printRequestRSpec(build_request(params, context.makeRequestRSpec()))


# Emulab executes the file as a program; a test loads it under another name.
if __name__ == "__main__":
    main()
