"""tools/bootstrap and the files that it and the stacks install from."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from longlook import paths
from longlook.stack import known_stacks
from longlook.stack.layers import Stated

BOOTSTRAP = paths.ROOT / "tools" / "bootstrap"
LOCKS = [
    paths.ROOT / "requirements.txt",
    paths.ROOT / "tools" / "bootstrap-go.txt",
    paths.ROOT / "tools" / "bootstrap-uv.txt",
    *paths.ENVS.glob("parts/*/requirements.txt"),
    *paths.ENVS.glob("parts/*/package-lock.json"),
]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: str(path.relative_to(paths.ROOT)))
def test_locks_name_no_host_and_hash_everything(lock):
    text = lock.read_text()
    assert not re.search(r"[a-z]+://|--(extra-)?index-url|--find-links|--trusted-host|\"resolved\"", text)
    if lock.suffix == ".json":
        packages = json.loads(text)["packages"]
        own = {name: facts for name, facts in packages.items() if name and not facts.get("inBundle")}
        assert [name for name, facts in own.items() if not facts.get("integrity")] == []
        for name in packages.keys() - own.keys() - {""}:  # comes in the archive of one that is hashed
            assert any(name.startswith(f"{other}/node_modules/") for other in own), name
    else:
        entries = re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE)[1:]
        assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_every_direct_requirement_is_locked():
    direct, lock = ((paths.ROOT / name).read_text() for name in ("requirements.in", "requirements.txt"))
    wanted = {name.lower() for name in re.findall(r"^([A-Za-z0-9_-]+)", direct, re.MULTILINE)}
    locked = set(re.findall(r"^([a-z0-9._-]+)==", lock, re.MULTILINE))
    assert wanted <= locked


def test_shellcheck():
    checker = shutil.which("shellcheck")
    if checker is None:
        pytest.skip("shellcheck is not installed: apt-get install shellcheck")
    done = subprocess.run([checker, BOOTSTRAP, paths.ROOT / ".ci" / "run"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout


def run_bootstrap(
    folder: Path,
    *arguments: str,
    as_root: bool = True,
    apt: bool = False,
    unshare: int | None = None,
    **environment: str,
) -> subprocess.CompletedProcess:
    """A copy of the script in a bare folder, next to nothing on PATH; `apt`: an apt-get that must not be called;
    `unshare`: the status of one."""
    (folder / "tools").mkdir(parents=True)
    programs = folder / "bin"
    programs.mkdir()
    for tool in ("bash", "dirname", "sort", "head", "tail", "sed", "cat", "mkdir"):
        (programs / tool).symlink_to(shutil.which(tool))
    if apt:
        (programs / "apt-get").write_text("#!/bin/sh\necho apt-get was called >&2\nexit 9\n")
        (programs / "apt-get").chmod(0o755)
    # The script adds the usual folders to PATH, and bash lets nobody set EUID: both are replaced in the copy.
    text = re.sub(r"^PATH=.*$", "", BOOTSTRAP.read_text(), flags=re.MULTILINE)
    assert text.count("EUID == 0") == 4
    if unshare is not None:
        (programs / "unshare").write_text(f"#!/bin/sh\nexit {unshare}\n")
        (programs / "unshare").chmod(0o755)
    script = folder / "tools" / "bootstrap"
    script.write_text(text.replace("EUID == 0", f"{0 if as_root else 1000} == 0"))
    command = [shutil.which("bash"), str(script), *arguments]
    return subprocess.run(
        command, env={"PATH": str(programs), **environment}, capture_output=True, text=True, timeout=300
    )


def test_without_apt_the_first_line_names_what_is_missing(tmp_path):
    done = run_bootstrap(tmp_path)
    assert done.returncode == 1
    first = (done.stdout + done.stderr).splitlines()[0]
    assert "missing:" in first and "apache2-bin" in first and "no apt-get here" in first


def test_without_root_the_first_line_says_so(tmp_path):
    done = run_bootstrap(tmp_path, as_root=False, apt=True)
    assert done.returncode == 1
    first = (done.stdout + done.stderr).splitlines()[0]
    assert "needs root to install" in first and "ask an administrator for sudo apt-get install" in first
    assert "apache2-bin" in first and "nothing else here needs root" in first
    assert "was called" not in done.stderr


def test_a_failing_apt_is_shown(tmp_path):
    done = run_bootstrap(tmp_path, apt=True)
    assert done.returncode != 0
    assert "apt-get was called" in done.stderr and "failed (status 9): apt-get" in done.stderr


def test_an_environment_behind_a_link_is_not_emptied(tmp_path):
    kept = tmp_path / "elsewhere" / "bin" / "python"
    kept.parent.mkdir(parents=True)
    kept.touch()
    (tmp_path / ".venv").symlink_to("elsewhere")
    for name in ("requirements.txt", "pyproject.toml", "tools/bootstrap-uv.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    text = BOOTSTRAP.read_text()
    functions = [re.search(rf"^{name}\(\) {{.*?}}$", text, re.M | re.S)[0] for name in ("fail", "say", "make_venv")]
    script = "\n".join(["set -euo pipefail", "VENV=.venv", *functions, f"find_python() {{ echo {sys.executable}; }}"])
    done = subprocess.run(
        ["bash", "-c", f"{script}\nmake_venv"], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 1 and ".venv is a link to elsewhere" in done.stderr and kept.exists()


def test_inside_a_nix_shell_it_does_nothing(tmp_path):
    done = run_bootstrap(tmp_path, IN_NIX_SHELL="impure", LONGLOOK_NIX="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_tests_get_nix_too_and_do_without_it_where_it_cannot_be_had(tmp_path):
    done = run_bootstrap(tmp_path / "with", "--tests", apt=True)
    log = (tmp_path / "with" / ".longlook" / "bootstrap.log").read_text()
    assert "nix-bin" in done.stdout and "patchelf" in done.stdout and "apt-get was called" in log
    assert "nix-bin" not in run_bootstrap(tmp_path / "without", "--tests").stderr


def test_what_measures_says_that_it_needs_root_first(tmp_path):
    done = run_bootstrap(tmp_path, "--root", as_root=False, unshare=1, IN_NIX_SHELL="impure", LONGLOOK_NIX="1")
    assert done.returncode == 1
    assert "needs root, to make network namespaces" in (done.stdout + done.stderr).splitlines()[0]


def test_where_users_may_make_namespaces_it_needs_none(tmp_path):
    done = run_bootstrap(tmp_path, "--root", as_root=False, unshare=0, IN_NIX_SHELL="impure", LONGLOOK_NIX="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_offline_nothing_is_asked_for_over_a_network(tmp_path):
    mirror = tmp_path / "mirror"
    done = run_bootstrap(tmp_path / "none", apt=True, LONGLOOK_MIRROR=str(mirror))
    assert done.returncode == 1 and f"there is no mirror in {mirror}" in done.stderr
    (mirror / "python").mkdir(parents=True)
    done = run_bootstrap(tmp_path / "kept", "--tests", "quicv1more", apt=True, LONGLOOK_MIRROR=str(mirror))
    assert done.returncode == 1 and "was called" not in done.stderr
    first = done.stderr.splitlines()[0]
    assert "missing: " in first and f"dpkg --install --skip-same-version {mirror}/debs/*.deb" in first
    assert "nix-bin" not in first and "ngtcp2" not in first, "what can be done without"


FAKE_PYTHON = """#!/bin/sh
case "$*" in
  "-m venv --clear .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python && cp bin/uv .venv/bin/ ;;
  "-m pip config list") cat pip-settings ;;
  "-m pip install "*) echo "pip $* no-index=$PIP_NO_INDEX links=$PIP_FIND_LINKS in=$PWD" >>"$HOME/calls" ;;
esac
"""
FAKE_UV = """#!/bin/sh
told="index=$UV_DEFAULT_INDEX certificates=$SSL_CERT_FILE cache=$UV_CACHE_DIR compile=$UV_COMPILE_BYTECODE in=$PWD"
echo "$told $*" >>"$HOME/calls"
[ ! -e "$HOME/broken" ] || { echo no such hash >&2; exit 2; }
"""


def make_venv(folder: Path, settings: str = "", **environment: str) -> tuple[subprocess.CompletedProcess, list[str]]:
    """Only the environment, by a Python and an uv that write down how they were called; pip has these settings."""
    programs = folder / "bin"
    programs.mkdir()
    for tool in ("sed", "sha256sum", "cat", "cp", "mkdir", "tail"):
        (programs / tool).symlink_to(shutil.which(tool))
    for name, text in (("python3", FAKE_PYTHON), ("uv", FAKE_UV)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    for name in ("requirements.txt", "pyproject.toml", "tools/bootstrap-uv.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    (folder / "pip-settings").write_text(settings)
    script = folder / "bootstrap"
    text = re.sub(r"^(PATH|cd)\b.*$", "", BOOTSTRAP.read_text(), flags=re.MULTILINE)
    script.write_text(text.replace('\nmain "$@"\n', "\nuse_mirror\nmake_state\nmake_venv\n"))
    done = subprocess.run(
        [shutil.which("bash"), str(script)],
        cwd=folder,
        env={"PATH": str(programs), "HOME": str(folder), **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done, (folder / "calls").read_text().splitlines()


def test_the_environment_is_made_by_hash(tmp_path):
    done, calls = make_venv(tmp_path)
    assert done.returncode == 0, done.stderr
    by_pip, dependencies, own = calls
    assert by_pip.startswith("pip ") and "--require-hashes" in by_pip
    assert f"-r {tmp_path}/tools/bootstrap-uv.txt" in by_pip
    assert by_pip.endswith(" no-index= links= in=/")
    assert "--require-hashes" in dependencies and f"-r {tmp_path}/requirements.txt" in dependencies
    assert own.endswith(f"--no-deps --no-build-isolation -e {tmp_path}")
    assert "index= certificates= cache= compile= in=/ " in own
    assert (tmp_path / ".venv" / "stamp").exists()


def test_a_mirror_that_pip_is_told_of_is_used(tmp_path):
    settings = ":env:.index-url='first/simple'\nglobal.cert='/a b.pem'\nglobal.index-url='second/simple'\n"
    _, calls = make_venv(tmp_path, settings, LONGLOOK_CACHE="/cache", PYTHONDONTWRITEBYTECODE="1")
    assert "index=first/simple certificates=/a b.pem cache=/cache/uv compile=1 in=" in calls[1]


def test_what_uv_is_told_itself_goes_before_pips_settings(tmp_path):
    settings = "global.cert='/pip.pem'\nglobal.index-url='pip/simple'\n"
    _, calls = make_venv(tmp_path, settings, UV_DEFAULT_INDEX="own/simple", SSL_CERT_FILE="/own.pem")
    assert "index=own/simple certificates=/own.pem " in calls[1]


def test_with_a_mirror_uv_and_pip_have_that_alone(tmp_path):
    mirror = tmp_path / "a b"
    (mirror / "python").mkdir(parents=True)
    done, calls = make_venv(tmp_path, LONGLOOK_MIRROR=str(mirror))
    assert done.returncode == 0, done.stderr
    assert f"no-index=1 links={mirror}/python" in calls[0]
    assert all(call.endswith(f" --offline --no-index --find-links {mirror}/python") for call in calls[1:])


def test_a_failing_installation_is_shown_and_leaves_no_stamp(tmp_path):
    (tmp_path / "broken").touch()
    done, calls = make_venv(tmp_path)
    assert done.returncode == 1 and len(calls) == 2
    assert f"failed (status 2): away {tmp_path}/.venv/bin/uv pip install" in done.stderr
    assert "no such hash" in done.stderr
    assert not (tmp_path / ".venv" / "stamp").exists()


def stacks_of_all(folder: Path, envs: Path, *asked: str) -> list[str]:
    """The stacks that are installed where these are asked for, by default all that there are in `envs`."""
    programs = folder / "bin"
    programs.mkdir(parents=True)
    for tool in ("dirname", "mkdir", "flock", "grep", "sed", "cat"):
        (programs / tool).symlink_to(shutil.which(tool))
    (folder / "envs").symlink_to(envs)
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\necho "$*" >>"{folder}/calls"\n')
    python.chmod(0o755)
    nothing = "".join(
        f"{step}() {{ :; }}\n" for step in ("install_packages", "install_for_stacks", "make_venv", "fetch_go")
    )
    text = re.sub(r"^PATH=.*$", "", BOOTSTRAP.read_text(), flags=re.MULTILINE)
    script = folder / "tools" / "bootstrap"
    script.parent.mkdir()
    script.write_text(text.replace('\nmain "$@"\n', f'\n{nothing}main "$@"\n'))
    command = [shutil.which("bash"), str(script), *asked]
    done = subprocess.run(command, env={"PATH": str(programs)}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    (call,) = (folder / "calls").read_text().splitlines()
    assert call.startswith("-m longlook.stack")
    return call.split()[2:]


def test_by_default_every_stack_is_installed_but_those_of_nix_and_those_on_demand(tmp_path):
    wanted, left = [], {"nix": [], "on demand": []}
    for name in known_stacks():
        own = Stated(paths.ENVS).own(name).values
        kind = "nix" if own.get("provider") == "nix" else "on demand" if own.get("on_demand") else None
        left.get(kind, wanted).append(name)
    assert all(left.values()) and {"quicv1", "gquic37", "quicv1more"} <= set(wanted)
    assert sorted(stacks_of_all(tmp_path / "all", paths.ENVS)) == wanted
    asked = [left["on demand"][0], "quicv1"]
    assert stacks_of_all(tmp_path / "asked", paths.ENVS, *asked) == asked


OF_STACKS = {
    "first": 'on_demand = true\nname = "first"\n',
    "last": 'name = "last"\nprovider = "nix"',
    "usual": 'provider = "any"\non_demand = false\n# on_demand = true\n',
    "between": 'name = "between"\nprovider = "nix"\ntitle = "x"\n',
}
OF_VARIANTS = """# on_demand = true
[v1]
provider = "any"
# on_demand = true
[[v1.quic.client_changes]]
offset = 1
[v2]
provider = "nix"
on_demand = true
[v3]
on_demand = true
[v3.quic]
tls = "1.3"

[v4]
on_demand = false
"""


def test_a_stack_is_left_out_by_a_whole_line_wherever_it_stands(tmp_path):
    envs = tmp_path / "envs"
    for name, text in OF_STACKS.items():
        (envs / name).mkdir(parents=True)
        (envs / name / "stack.toml").write_text(text)
    (envs / "no-stack").mkdir()
    (envs / "variants.toml").write_text(OF_VARIANTS)
    assert stacks_of_all(tmp_path / "run", envs) == ["usual", "v1", "v4"]


def for_stacks(folder: Path, *stacks: str, known: bool = True) -> tuple[subprocess.CompletedProcess, list[str]]:
    """Only the step for single stacks, by an apt that writes down its calls, and has the packages or has not."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for tool in ("cat", "mkdir", "tail"):
        (programs / tool).symlink_to(shutil.which(tool))
    calls = folder / "calls"
    for name, status in (("apt-get", 0), ("systemctl", 0), ("apt-cache", 0 if known else 100)):
        (programs / name).write_text(f'#!/bin/sh\necho "{name} $*" >>"{calls}"\nexit {status}\n')
        (programs / name).chmod(0o755)
    text = re.sub(r"^(PATH|cd)\b.*$", "", BOOTSTRAP.read_text(), flags=re.MULTILINE).replace("EUID == 0", "0 == 0")
    script = folder / "bootstrap"
    text = re.sub(r"(?<=[ \n])/usr(?=/\S+:)", f"{folder}/usr", text)  # files that this machine may have
    script.write_text(text.replace('\nmain "$@"\n', '\ninstall_for_stacks "$@"\n'))
    command = [shutil.which("bash"), str(script), *stacks]
    done = subprocess.run(command, cwd=folder, env={"PATH": str(programs)}, capture_output=True, text=True, timeout=300)
    return done, calls.read_text().splitlines() if calls.exists() else []


@pytest.mark.parametrize(
    "stack", ["quicv1more", "halme2021", "matrix", "yu2021", "shreedhar2022", "shreedhar2022tls12"]
)
def test_the_programs_of_a_stack_come_with_it_alone(tmp_path, stack):
    for name in ("other", "same"):
        (tmp_path / name).mkdir()
    assert for_stacks(tmp_path / "other", "quicv1", "gquic37")[1] == []
    done, calls = for_stacks(tmp_path / "same", "quicv1", stack)
    assert done.returncode == 0, done.stderr
    assert calls[-1].startswith("apt-get") and calls[-1].endswith("ngtcp2-server ngtcp2-client")


@pytest.mark.parametrize("stack", ["shreedhar2022openssl", "shreedhar2022openssl12"])
def test_the_system_s_curl_comes_with_the_stacks_that_have_it_alone(tmp_path, stack):
    for name in ("other", "same"):
        (tmp_path / name).mkdir()
    assert not any("curl" in call for call in for_stacks(tmp_path / "other", "shreedhar2022", "shreedhar2022tls12")[1])
    assert for_stacks(tmp_path / "same", stack)[1][-1].endswith("ngtcp2-server ngtcp2-client curl")


def test_what_makes_the_film_comes_with_the_stack_that_plays_it_alone(tmp_path):
    for name in ("other", "same"):
        (tmp_path / name).mkdir()
    assert for_stacks(tmp_path / "other", "quicv1", "shreedhar2022")[1][-1].endswith("ngtcp2-server ngtcp2-client")
    _, calls = for_stacks(tmp_path / "same", "shreedhar2022video")
    assert calls[-1].startswith("apt-get") and calls[-1].endswith("no-install-recommends ffmpeg")


def test_nginx_comes_with_the_stack_that_has_it_alone(tmp_path):
    for name in ("other", "same"):
        (tmp_path / name).mkdir()
    assert for_stacks(tmp_path / "other", "quicv1", "c65")[1] == []
    _, calls = for_stacks(tmp_path / "same", "baxter2018")
    assert calls[-1].startswith("apt-get") and calls[-1].endswith("no-install-recommends nginx")


@pytest.mark.parametrize("stack", ["matrixnginx", "yu2021nginx"])
def test_a_stack_of_many_servers_has_the_programs_of_all(tmp_path, stack):
    _, calls = for_stacks(tmp_path, stack)
    assert [call.rpartition("no-install-recommends ")[2] for call in calls if " install " in call] == [
        "ngtcp2-server ngtcp2-client",
        "nginx",
    ]


def test_a_library_or_a_program_of_a_whole_path_is_that_file_only(tmp_path):
    """Another Flask on PATH, as pyenv puts one there, is not the one that Apache uses."""
    neither, library = tmp_path / "neither", tmp_path / "library"
    for folder in (neither, library):
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "flask").write_text("#!/bin/sh\n")
        (folder / "bin" / "flask").chmod(0o755)
    assert for_stacks(neither, "quicv1wsgi")[1][-1].endswith("python3-flask libapache2-mod-wsgi-py3")
    module = library / "usr" / "lib" / "apache2" / "modules" / "mod_wsgi.so"
    module.parent.mkdir(parents=True)
    module.touch()
    assert for_stacks(library, "quicv1wsgi")[1][-1].endswith("no-install-recommends python3-flask")


def test_what_apt_does_not_have_is_left_to_the_doctor(tmp_path):
    done, calls = for_stacks(tmp_path, "quicv1more", known=False)
    assert done.returncode == 0 and not [call for call in calls if " install " in call]
