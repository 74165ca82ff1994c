"""The command line: parses, calls, prints. What it calls lives elsewhere; what takes long to import is imported once
nothing is left to refuse."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import NoReturn

import click

from longlook import paths
from longlook.arguments import InputFile, Number, OutputFile, TestbedName, Whole
from longlook.errors import LonglookError, plain
from longlook.host.command import command
from longlook.host.userns import enter

BENCH_S = Number(3, 600, "of each, the first 2 s do not count; longer ones tell nothing more", "s")
SOAK_S = Number(1, 604_800, "a week at the most", "s")
FAULTS = Whole(1, 1_000_000, "each takes a second at the least")
LOADS = Whole(1, 200, "more would take hours")
SEED = Whole(0, 2**63 - 1, "as a sweep's")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="longlook")
def cli() -> None:
    """Re-measure, audit and render "Benchmarks and Analysis of QUIC Performance on Emulab"."""


def _sweep(name: str):
    from longlook.stack.arms import open_sweep

    return open_sweep(name)


def _require_data(*written: Path, campaigns: tuple[str, ...] = ()) -> None:
    """Campaigns to read, and folders to write into."""
    paths.require_data()
    paths.require_raw()
    paths.require_writable(*written)
    if campaigns:
        from longlook.record.campaigns import find_campaign

        for name in campaigns:
            find_campaign(paths.RAW, name)


def _require_measuring(here: bool = True) -> None:
    """A folder to measure into and, on this machine, the rights."""
    paths.require_data()
    paths.require_writable(paths.RAW)
    if here:
        enter()


def _build(fresh: bool = False) -> Path:
    """The book, built of what is there, `fresh` with every chapter executed: its index page."""
    paths.require_data()
    paths.require_writable(paths.STATE)
    from longlook.book.build import build

    return build(fresh=fresh)


@cli.command()
def doctor() -> None:
    """Check this machine: each line says ok or how to mend it."""
    with contextlib.suppress(LonglookError):  # one of the checks tells it
        enter()
    from longlook.doctor import checks, format_checks

    found = checks()
    click.echo(format_checks(found))
    sys.exit(0 if all(check.ok or not check.required for check in found) else 1)


@cli.group()
def stack() -> None:
    """The pinned software stacks."""


@stack.command("install")
@click.argument("name")
@click.option("--force", is_flag=True, help="Install again even if it is there.")
def stack_install(name: str, force: bool) -> None:
    """Install a stack into the per-user cache and verify it."""
    from longlook.stack.install import install

    installed = install(name, force=force)
    click.echo(f"{name}: {installed.digest[:12]} ({installed.provider})")


@stack.command("show")
@click.argument("name")
def stack_show(name: str) -> None:
    """Versions as the running binaries report them."""
    from longlook.stack import open_stack

    installed = open_stack(name, full_check=True)
    click.echo(f"digest {installed.digest}")
    for component, facts in installed.components().items():
        click.echo(f"{component:24} {facts['version']:16} {facts['provider']}")


@cli.command()
@click.argument("sweep")
@click.option("--reference", is_flag=True, help="For the maintainers: a campaign to be kept in the repository.")
@click.option("--new", is_flag=True, help="Start a new campaign even if one can be resumed.")
@click.option(
    "--testbed",
    type=TestbedName(),
    help="Name of a testbed on this machine; two may exist side by side.  [default: default]",
)
@click.option(
    "--testbeds",
    "file",
    type=InputFile(),
    help="File of testbeds (emulab/README.md); several share the sweep's rows.",
)
@click.option("--accept-short", is_flag=True, help="Seal also where cells stay short of accepted samples.")
def run(sweep: str, reference: bool, new: bool, testbed: str | None, file: Path | None, accept_short: bool) -> None:
    """Measure a sweep (a name in sweeps/ or a TOML file); goes on where an interrupted run ended."""
    from longlook.experiment.offered import offered
    from longlook.testbed.description import NetnsDescription, load_testbeds

    if testbed and file:
        raise click.UsageError("--testbed and --testbeds are two ways to say where: give one")
    beds = load_testbeds(file) if file else (NetnsDescription(name=testbed or "default"),)
    wanted = offered(_sweep(sweep))
    here = [bed for bed in beds if isinstance(bed, NetnsDescription)]
    _require_measuring(any(bed.control is None for bed in here))
    from longlook.experiment.measurable import require_measurable

    require_measurable(wanted)
    from longlook.doctor import checks, require
    from longlook.experiment.run import run_sweep
    from longlook.stack.adapters import components_of

    if here:
        require(checks(components_of(wanted.cells())))
    resume = None if new else "auto"
    found = run_sweep(wanted, "reference" if reference else "local", resume, beds, accept_short=accept_short)
    click.echo(f"measured {found.measured} cells into {found.campaign.path}")
    if found.unfinished:
        raise LonglookError(found.unfinished)


@cli.command()
def browsers() -> None:
    """Ask every pinned browser, inside a testbed, which versions of QUIC it speaks; writes book/years/spoken.csv."""
    from longlook.experiment import spoken
    from longlook.testbed.netns import NetnsTestbed

    _require_measuring()
    found = []
    with NetnsTestbed("browsers") as bed:
        for one in spoken.ask(bed, spoken.browsers(), click.echo):
            click.echo(f"{one.part:14} {one.version:16} offers {one.offers or 'nothing'}, speaks {one.speaks}")
            found.append(one)
    spoken.write(paths.SPOKEN, found)


@cli.command()
def flights() -> None:
    """Ask browsers, inside a testbed, how much they send before anybody answers; writes book/years/flights.csv."""
    from longlook.experiment import flights as asked
    from longlook.testbed.netns import NetnsTestbed

    _require_measuring()
    found = []
    with NetnsTestbed("flights") as bed:
        for one in asked.ask(bed, asked.stacks(), click.echo):
            quic = f"{one.datagrams} datagrams of {one.quic_bytes} bytes"
            click.echo(f"{one.stack:12} {one.version:16} QUIC: {quic}, TCP: {one.tcp_bytes} bytes")
            found.append(one)
    asked.write(paths.FLIGHTS, found)


@cli.command()
def priorities() -> None:
    """Ask today's browser, inside a testbed, in which order it wants a page; writes book/years/priorities.csv."""
    from longlook.experiment import said
    from longlook.testbed.netns import NetnsTestbed

    _require_measuring()
    with NetnsTestbed("said") as bed:
        found = said.ask(bed)
    for one in found:
        click.echo(f"{one.said or 'nothing':8} {one.kinds:20} {one.requests} requests, {one.frames} frames")
    said.write(paths.PRIORITIES, found)


@cli.command()
def clients() -> None:
    """Ask clients, inside a testbed, for their flow control windows; writes book/yu2021/clients.csv."""
    from longlook.experiment import allowed
    from longlook.testbed.netns import NetnsTestbed

    _require_measuring()
    found = []
    with NetnsTestbed("clients") as bed:
        for one in allowed.ask(bed):
            stream, connection = (f"{first:,} to {most:,}" for first, most in (one.of_stream, one.of_connection))
            click.echo(f"{one.arm:22} {one.version:16} stream {stream}, connection {connection} bytes")
            found.append(one)
    allowed.write(paths.ALLOWED, found)


@cli.command()
def syscalls() -> None:
    """Count, inside a testbed, system calls of clients and servers; writes book/shreedhar2022/syscalls.csv."""
    from longlook.experiment import syscalls as asked
    from longlook.testbed.netns import NetnsTestbed

    _require_measuring()
    found = []
    with NetnsTestbed("syscalls") as bed:
        for one in asked.ask(bed):
            kinds = f"{one.sends + one.writes:.1f} to send or write, {one.receives + one.reads:.1f} to receive or read"
            click.echo(f"{one.arm:14} {one.offload:14} {one.end:8} {one.all:8.1f} calls for a megabyte: {kinds}")
            found.append(one)
    asked.write(paths.SYSCALLS, found)


@cli.command()
def servers() -> None:
    """Read what every pinned Envoy has built in of QUICHE; writes book/years/servers.csv and flags.csv."""
    from longlook.experiment import built_in

    found, flags = [], list[built_in.Flag]()
    for one, own in built_in.ask(built_in.envoys(), click.echo):
        on = sum(flag.default for flag in own)
        number = one.emulated_connections or "not found"
        click.echo(f"{one.part:12} {one.version:8} {one.controller}, N: {number}, {on} of {len(own)} flags on")
        found.append(one)
        flags += own
    built_in.write(paths.BUILT_IN, found)
    built_in.write(paths.QUICHE_FLAGS, flags)


@cli.command()
@click.option("--bandwidth-mbps", default=10.0, show_default=True)
@click.option("--rtt-ms", default=36.0, show_default=True)
@click.option("--loss-pct", default=0.0, show_default=True)
def calibrate(bandwidth_mbps: float, rtt_ms: float, loss_pct: float) -> None:
    """Set up a testbed, measure its link against what was set, and print the record."""
    import json

    from longlook.plan.link import Link

    link = Link.parse({"bandwidth_mbps": bandwidth_mbps, "rtt_ms": rtt_ms, "loss_pct": loss_pct})
    enter()
    from longlook.link.calibrate import calibrate as measure
    from longlook.testbed.opening import open_link

    with contextlib.ExitStack() as owned:
        bed, driver = open_link(owned, "calibrate")
        driver.configure(link, seed=1)
        click.echo(json.dumps(measure(bed, driver, link), indent=1))


@cli.command()
@click.argument("manifest", type=InputFile())
@click.option("--user", help="Who logs in to the nodes; needed where the manifest knows several.")
@click.option(
    "--pipes",
    nargs=2,
    type=Whole(1, 65535, "as ipfw numbers them"),
    metavar="TO_CLIENT TO_SERVER",
    help="Numbers of the bridges' pipes.",
)
def testbeds(manifest: Path, user: str | None, pipes: tuple[int, int] | None) -> None:
    """Print the testbeds of an Emulab experiment, for `run --testbeds`, from its manifest."""
    from longlook.testbed.description import Pipes, format_testbeds
    from longlook.testbed.manifest import PIPES, load_manifest

    chosen = Pipes(server_to_client=pipes[0], client_to_server=pipes[1]) if pipes else PIPES
    click.echo(format_testbeds(load_manifest(manifest, user, chosen)), nl=False)


@cli.command()
def process() -> None:
    """Make data/processed from data/raw."""
    _require_data(paths.PROCESSED)
    from longlook.dataset.process import process as make

    done = make(paths.RAW, paths.PROCESSED)
    for name, rows in done.rows.items():
        click.echo(f"{name}: {rows} rows")
    if not done.rows["campaigns"]:
        click.echo(f"there is no campaign in {paths.RAW}: every table is empty", err=True)
    for name, why in done.left_out.items():
        click.echo(f"left out: {name}: {why}", err=True)
    sys.exit(1 if done.left_out else 0)


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.option("--campaign", help="Audit this campaign only.")
def audit(as_json: bool, campaign: str | None) -> None:
    """Compare the re-measured with the published values; exit 1 if the data cannot be trusted."""
    _require_data(campaigns=() if campaign is None else (campaign,))
    from longlook.audit import format_text, run_audit, to_json

    report = run_audit(campaign=campaign)
    click.echo(to_json(report) if as_json else format_text(report))
    sys.exit(0 if report.ok else 1)


@cli.command()
@click.argument("campaign_a")
@click.argument("campaign_b")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def compare(campaign_a: str, campaign_b: str, as_json: bool) -> None:
    """Compare the cells that two campaigns have in common: two testbeds, two machines, before and after a change."""
    _require_data(campaigns=(campaign_a, campaign_b))
    from longlook.audit import compare_campaigns, format_comparison, to_json

    found = compare_campaigns(campaign_a, campaign_b)
    click.echo(to_json(found) if as_json else format_comparison(found), nl=as_json)


@cli.command()
@click.argument("campaign")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Where to; default: CAMPAIGN.html here.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead.")
def report(campaign: str, out: Path | None, as_json: bool) -> None:
    """Write one self-contained page on a campaign: its loads, what differs by how much, what cannot be told; of pages a
    typical load of each protocol as a waterfall."""
    _require_data(campaigns=(campaign,))
    from longlook.audit import to_json
    from longlook.book.report import report_of

    found, results = report_of(campaign)
    click.echo(to_json(found) if as_json else _written(found, results, out or Path(f"{campaign}.html")))


def _written(found, results, target: Path) -> str:
    """Write a report's page; its sentences, and where it is."""
    from longlook.book.report import page
    from longlook.record.durable import write_bytes

    write_bytes(target, page(found, results).encode())
    return "\n".join((*map(plain, found.sentences), f"page: {target}"))


@cli.group()
def site() -> None:
    """Sites of one's own, to be asked about."""


@site.command("add")
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.option("--name", help="Of the site; default: the folder's or file's.")
@click.option("--source", "words", default="", help="Where it is from, and its licence; for readers.")
def site_add(source: Path, name: str | None, words: str) -> None:
    """Add a FOLDER with index.html, or a FILE.har with contents, as sites/NAME/: what its page asks for."""
    from longlook.ask.adding import add, candidate

    found, bodies = candidate(source, name or source.resolve().stem.lower(), words)
    paths.require_writable(paths.SITES)
    enter()
    from longlook.testbed.netns import NetnsTestbed

    with NetnsTestbed("site") as bed:
        kept = add(bed, found, bodies)
    left = len(found.files) - len(kept.files)
    click.echo(
        f"{kept.label}: {paths.SITES / kept.name}" + (f"; {left} files that it does not load are left out" * bool(left))
    )


@cli.command()
@click.argument("name", metavar="SITE", default="docs")
@click.option("--links", help="Names of links/, joined by commas.  [default: cable,4g,lte,3g-fast]")
@click.option(
    "--visit",
    "visits",
    help="first, return (sessions remembered, files loaded anew), learnt (the same, HTTP/3 learnt by Alt-Svc), "
    "refused (the same, early data answered with 425); several joined by commas.  [default: first]",
)
@click.option(
    "--server",
    help="Over HTTP/2, beside Envoy over HTTP/3: apache, or envoy itself; or a FILE.toml that states a server of "
    "yours, for what that speaks (servers/nginx-http3.toml: both).  [default: apache]",
)
@click.option("--loads", type=LOADS, help="Of each protocol that count.  [default: 20]")
@click.option("--quick", "loads", flag_value=5, type=LOADS, help="The same as --loads 5.")
@click.option("--require", "gate", help="Exit with 1 unless it holds on every link: 'plt: h3 <= h2 + 5 %'.")
@click.option("--out", type=OutputFile(), help="Where the page goes; default: ask-SITE.html here.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON besides.")
def ask(
    name: str,
    links: str | None,
    visits: str | None,
    server: str | None,
    loads: int | None,
    gate: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Does HTTP/3 pay for SITE? Measures it over links by name, writes one page; goes on where it was interrupted."""
    from longlook.ask.question import question

    asked = question(name, links, visits, server, loads, gate)
    out = OutputFile().convert(out or f"ask-{name}.html", None, None)  # before it is measured
    _require_measuring()
    from longlook.ask.answer import answered
    from longlook.audit import to_json

    found = answered(asked)
    said = _written(found.report, found.results, out)
    click.echo(to_json(found.report) if as_json else said)
    if found.left:
        click.echo(found.left, err=True)
    sys.exit(1 if found.failures else 0)


@cli.command()
@click.argument("campaigns", nargs=-1)
def verify(campaigns: tuple[str, ...]) -> None:
    """Re-check every hash of sealed campaigns (all, unless some are named), and the reference campaigns' index."""
    _require_data()
    from longlook.record.index import INDEX_NAME, trust, verified

    found = verified(paths.RAW, campaigns)
    for name, problems in found.items():
        why = "" if problems or name == INDEX_NAME else f"; {trust(paths.RAW, name)}{_criteria_changed(name)}"
        click.echo(f"{plain(name)}: {'ok' if not problems else 'DAMAGED'}{why}")
        for problem in problems:
            click.echo(f"  {plain(problem)}")
    sys.exit(1 if any(found.values()) else 0)


def _criteria_changed(campaign: str) -> str:
    """Whether a campaign's sweep has other criteria today than it sealed."""
    from longlook.record.campaigns import find_campaign
    from longlook.record.criteria import CHANGED, standing
    from longlook.stack.arms import open_sweep, sweep_files

    try:
        info = find_campaign(paths.RAW, campaign).info
        if "criteria" not in info:
            return ""
        today = open_sweep(info["sweep"]).criteria if info["sweep"] in sweep_files() else None
        return "; the criteria of its sweep were changed since it began" if standing(info, today) == CHANGED else ""
    except LonglookError as error:
        return f"; {plain(str(error))}"


@cli.command()
@click.argument("sweep")
@click.option("--after", metavar="CAMPAIGN", help="What became of them in this campaign.")
def predict(sweep: str, after: str | None) -> None:
    """Print what a sweep predicts and how it will be judged, before it is measured, or what became of it."""
    _require_data(campaigns=(after,) if after else ())
    from longlook.book.foretelling import became, foretold
    from longlook.experiment.measurable import require_foretold

    own = _sweep(sweep)
    require_foretold(own)
    for line in became(own, after) if after else foretold(own):
        click.echo(plain(line))


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def studies(as_json: bool) -> None:
    """List the studies: cells published, measured and agreeing, and claims by verdict."""
    _require_data()
    from longlook.book.studies import counted, format_studies

    found = counted()
    for line in [json.dumps(found, indent=2, ensure_ascii=False)] if as_json else format_studies(found):
        click.echo(line)


@cli.command()
@click.argument("name")
@click.option("--folder", default="_traces", show_default=True, type=click.Path(path_type=Path), help="Where to.")
def traces(name: str, folder: Path) -> None:
    """Unpack the whole traces of a campaign, or of a sweep's newest one: a qlog for each cell, which qvis opens."""
    _require_data(folder)
    from longlook.experiment.unpack import unpack

    for path in unpack(paths.RAW, name, folder):
        click.echo(path)


@cli.command("seal-index")
def seal_index() -> None:
    """For the maintainers: add new reference campaigns to data/raw/INDEX.sha256, whose lines are never changed."""
    _require_data(paths.RAW)
    from longlook.record.index import INDEX_NAME, add_to_index

    for name in (new := add_to_index(paths.RAW)):
        click.echo(f"{INDEX_NAME}: {name}")
    if not new:
        click.echo(f"{INDEX_NAME} has every sealed reference campaign of {paths.RAW}")


@cli.command()
@click.option("--fresh", is_flag=True, help="Execute every chapter, also where nothing changed that it is made of.")
def book(fresh: bool) -> None:
    """Build the book and print where it is."""
    click.echo(_build(fresh))


@cli.command()
def pdf() -> None:
    """Build the book, print all of it into one PDF, and print where that is."""
    html = _build().parent
    from longlook.book.pdf.book import make_pdf

    click.echo(make_pdf(html))


@cli.command()
def archive() -> None:
    """Build the book, every chapter executed, and pack it with the commit's code, data and locks; prints where, and the
    digest."""
    from longlook.archive import make_archive, require_tested

    require_tested()
    made = make_archive(_build(fresh=True).parent)
    click.echo(f"{made.path}\n{made.files} files, {made.bytes:,} bytes, sha256 {made.sha256}")


@cli.command()
@click.argument("stacks", nargs=-1)
@click.option("--debs", is_flag=True, help="Also the system's packages, with all that they depend on.")
@click.option("--folder", default="_mirror", show_default=True, type=click.Path(path_type=Path), help="Where to.")
def mirror(stacks: tuple[str, ...], debs: bool, folder: Path) -> None:
    """Keep every package that the locks name (of these stacks; of all parts), for `make OFFLINE=1`."""
    paths.require_writable(folder)
    from longlook.mirror import SUMS, make_mirror

    made = make_mirror(folder.absolute(), stacks, debs, click.echo)
    click.echo(f"{made.path}\n{made.files} files, {made.bytes:,} bytes; their hashes: {made.path / SUMS}")


@cli.command()
@click.argument("name")
@click.option("--quick", is_flag=True, help="A few loads per cell.")
def chapter(name: str, quick: bool) -> None:
    """Re-execute a chapter's measurements, then process, audit and rebuild the book."""
    from longlook.book.chapters import chapter_sweeps

    for sweep in chapter_sweeps(name):
        _sweep(sweep)
    _require_measuring()
    from longlook.reproduce import remeasure_chapter

    remeasure_chapter(name, quick)


@cli.command()
@click.option("--sweep", default="quick", show_default=True)
def reproduce(sweep: str) -> None:
    """Check the machine, measure a sweep, process, audit, build the book, print a summary."""
    wanted = _sweep(sweep)
    _require_measuring()
    from longlook.reproduce import reproduce as everything

    everything(wanted)


@cli.command()
@click.option("--seconds", type=BENCH_S, default=10.0, show_default=True, help="Length of each measurement.")
@click.option("--testbed", type=TestbedName(), default="bench", show_default=True, help="Name of the testbed.")
def bench(seconds: float, testbed: str) -> None:
    """Measure linkpipe against a plain veth pair, and against rattan and netem where they are present."""
    enter()
    from longlook.bench.report import run_bench

    click.echo(run_bench(seconds, testbed))


@cli.command()
@click.option("--seconds", type=SOAK_S, default=3600.0, show_default=True, help="Faults end after this time.")
@click.option("--faults", type=FAULTS, default=1_000_000, help="Faults end after so many.")
@click.option("--seed", type=SEED, default=1, show_default=True, help="Faults are drawn from it.")
@click.option("--testbed", type=TestbedName(), default="soak", show_default=True, help="Name of the testbed.")
@click.option("--record", type=OutputFile(), help="File of JSON lines; default: .longlook/soak/<time>.jsonl")
def soak(seconds: float, faults: int, seed: int, testbed: str, record: Path | None) -> None:
    """Run a small sweep under random faults and check that nothing is lost, doubled, half done or left running."""
    enter()
    from longlook.record.campaign import stamp, utc_now
    from longlook.soak.soak import soak as run

    record = record or paths.STATE / "soak" / f"{stamp(utc_now())}.jsonl"
    found = run(record, testbed, seed, seconds, faults)
    click.echo(f"{found.text()}\nrecord: {record}")
    sys.exit(1 if found.problems else 0)


def _refuse(message: str, status: int) -> NoReturn:
    """A mistake is one line; what could not be measured, or built, has one for each."""
    lines = [plain(line).rstrip() for line in message.splitlines()]
    click.echo("Error: " + "\n".join(line for line in lines if line), err=True)
    sys.exit(status)


def main() -> None:
    """Entry point: a user's mistake is one message, never a traceback."""
    try:
        with command():
            cli.main(standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("interrupted; what was measured is kept, run the same command to go on", err=True)
        sys.exit(130)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f" ({context.command_path} --help)" if context else ""
        _refuse(f"{' '.join(error.format_message().split())}{hint}", error.exit_code)
    except LonglookError as error:
        _refuse(str(error), 1)
    except BrokenPipeError:  # whoever read it, `head` for instance, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:  # a disk fills up wherever something is written: in the cache, in TMPDIR, in the book
        from longlook.record.durable import FULL, disk_error

        if error.errno not in FULL:
            raise
        _refuse(str(disk_error("go on", error.filename or "what was being written", error)), 1)


if __name__ == "__main__":
    main()
