"""The command line: parses, calls, prints. What it calls lives elsewhere."""

from __future__ import annotations

import contextlib
import signal
import sys
from pathlib import Path

import click

from longlook import paths
from longlook.errors import LonglookError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="longlook")
def cli() -> None:
    """Re-measure, audit and render "Benchmarks and Analysis of QUIC Performance on Emulab"."""


def _sweep(name: str):
    from longlook.stack.arms import open_sweep

    return open_sweep(name)


@cli.command()
def doctor() -> None:
    """Check this machine: each line says ok or how to mend it."""
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
    default="default",
    show_default=True,
    help="Name of a testbed on this machine; two may exist side by side.",
)
@click.option(
    "--testbeds",
    "file",
    type=click.Path(path_type=Path),
    help="File of testbeds (emulab/README.md); several share the sweep's rows.",
)
def run(sweep: str, reference: bool, new: bool, testbed: str, file: Path | None) -> None:
    """Measure a sweep (a name in sweeps/ or a TOML file); goes on where an interrupted run ended."""
    from longlook.doctor import checks, require
    from longlook.experiment.offered import offered
    from longlook.experiment.places import place_of
    from longlook.experiment.run import run_sweep
    from longlook.testbed.description import NetnsDescription, load_testbeds

    beds = load_testbeds(file) if file else (NetnsDescription.parse({"name": testbed}),)
    wanted = offered(_sweep(sweep))
    if any(place_of(bed).is_here for bed in beds):
        require(checks(wanted.stacks()))
    found = run_sweep(wanted, "reference" if reference else "local", None if new else "auto", beds)
    click.echo(f"measured {found.measured} cells into {found.campaign.path}")
    if found.failed:
        lines = "\n".join(f"  {cell}: {why}" for cell, why in found.failed.items())
        raise LonglookError(
            f"{len(found.failed)} cells could not be measured; run the command again to retry them:\n{lines}"
        )


@cli.command()
@click.option("--bandwidth-mbps", default=10.0, show_default=True)
@click.option("--rtt-ms", default=36.0, show_default=True)
@click.option("--loss-pct", default=0.0, show_default=True)
def calibrate(bandwidth_mbps: float, rtt_ms: float, loss_pct: float) -> None:
    """Set up a testbed, measure its link against what was set, and print the record."""
    import json

    from longlook.link.calibrate import calibrate as measure
    from longlook.plan.link import Link
    from longlook.testbed.opening import open_link

    link = Link.parse({"bandwidth_mbps": bandwidth_mbps, "rtt_ms": rtt_ms, "loss_pct": loss_pct})
    with contextlib.ExitStack() as owned:
        bed, driver = open_link(owned, "calibrate")
        driver.configure(link, seed=1)
        click.echo(json.dumps(measure(bed, driver, link), indent=1))


@cli.command()
@click.argument("manifest", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--user", help="Who logs in to the nodes; needed where the manifest knows several.")
@click.option(
    "--pipes",
    nargs=2,
    type=click.IntRange(1, 65535),
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
    paths.require_raw()
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
    paths.require_raw()
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
    paths.require_raw()
    from longlook.audit import compare_campaigns, format_comparison, to_json

    found = compare_campaigns(campaign_a, campaign_b)
    click.echo(to_json(found) if as_json else format_comparison(found), nl=as_json)


@cli.command()
@click.argument("campaigns", nargs=-1)
def verify(campaigns: tuple[str, ...]) -> None:
    """Re-check every hash of sealed campaigns (all, unless some are named), and the reference campaigns' index."""
    paths.require_raw()
    from longlook.record.index import verified

    found = verified(paths.RAW, campaigns)
    for name, problems in found.items():
        click.echo(f"{name}: {'ok' if not problems else 'DAMAGED'}")
        for problem in problems:
            click.echo(f"  {problem}")
    sys.exit(1 if any(found.values()) else 0)


@cli.command("seal-index")
def seal_index() -> None:
    """For the maintainers: add new reference campaigns to data/raw/INDEX.sha256, whose lines are never changed."""
    paths.require_raw()
    from longlook.record.index import INDEX_NAME, add_to_index

    for name in (new := add_to_index(paths.RAW)):
        click.echo(f"{INDEX_NAME}: {name}")
    if not new:
        click.echo(f"{INDEX_NAME} has every sealed reference campaign of {paths.RAW}")


@cli.command()
def book() -> None:
    """Build the book and print where it is."""
    from longlook.book.build import build

    click.echo(build())


@cli.command()
@click.argument("name")
@click.option("--quick", is_flag=True, help="A few loads per cell.")
def chapter(name: str, quick: bool) -> None:
    """Re-execute a chapter's measurements, then process, audit and rebuild the book."""
    from longlook.reproduce import remeasure_chapter

    remeasure_chapter(name, quick)


@cli.command()
@click.option("--sweep", default="quick", show_default=True)
def reproduce(sweep: str) -> None:
    """Check the machine, measure a sweep, process, audit, build the book, print a summary."""
    from longlook.reproduce import reproduce as everything

    everything(_sweep(sweep))


@cli.command()
@click.option("--seconds", default=10.0, show_default=True, help="Length of each measurement.")
def bench(seconds: float) -> None:
    """Measure linkpipe against a plain veth pair, and against rattan and netem where they are present."""
    from longlook.bench.report import run_bench

    click.echo(run_bench(seconds))


@cli.command()
@click.option("--seconds", default=3600.0, show_default=True, help="Faults end after this time.")
@click.option("--faults", default=1_000_000, help="Faults end after so many.")
@click.option("--seed", default=1, show_default=True, help="Faults are drawn from it.")
@click.option("--testbed", default="soak", show_default=True, help="Name of the testbed.")
@click.option(
    "--record", type=click.Path(path_type=Path), help="File of JSON lines; default: .longlook/soak/<time>.jsonl"
)
def soak(seconds: float, faults: int, seed: int, testbed: str, record: Path | None) -> None:
    """Run a small sweep under random faults and check that nothing is lost, doubled, half done or left running."""
    from longlook.record.campaign import stamp, utc_now
    from longlook.soak.soak import soak as run

    record = record or paths.STATE / "soak" / f"{stamp(utc_now())}.jsonl"
    found = run(record, testbed, seed, seconds, faults)
    click.echo(f"{found.text()}\nrecord: {record}")
    sys.exit(1 if found.problems else 0)


def main() -> None:
    """Entry point: a user's mistake is one message, never a traceback. SIGTERM is taken as Ctrl-C is, since shells
    start background jobs with Ctrl-C's signal ignored."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        cli.main(standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("interrupted; what was measured is kept, run the same command to go on", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except LonglookError as error:
        click.echo(f"longlook: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
