#!/usr/bin/env bash
# Makes an Ubuntu node ready to be a server or client of longlook; the profile starts it as root when the node has booted.
# Usage: setup-node.sh STACK [PROJECT]. Every step leaves a node alone on which it was done before: run it again at will.
# Log: /var/log/longlook-setup.log, copied to /proj/PROJECT/longlook/ at the end. /var/tmp/longlook/ready appears last.
set -euo pipefail

# Empty on a node. Tests put a folder of theirs in front of every path that is written.
readonly PREFIX="${LONGLOOK_PREFIX:-}"
readonly FOLDER="$PREFIX/var/tmp/longlook"
readonly LOG="$PREFIX/var/log/longlook-setup.log"
readonly SYSCTLS="$PREFIX/etc/sysctl.d/90-longlook.conf"

# As in the namespaces of the local testbed (src/longlook/testbed/kernel.py): far above 2 x BDP of 100 Mbit/s, 112 ms.
readonly SOCKET_BUFFER_BYTES=33554432

# The wheels of requirements.txt are built for this C library or an older one (pyarrow's for exactly this one).
readonly LEAST_GLIBC='2.28'

# What would wake up in the middle of a measurement.
readonly DISTURBERS=(apt-daily.timer apt-daily-upgrade.timer apt-daily.service apt-daily-upgrade.service unattended-upgrades.service
  fwupd-refresh.timer man-db.timer motd-news.timer)

say() { printf '%(%H:%M:%S)T setup-node: %s\n' -1 "$*"; }
fail() { say "FAILED: $*" >&2; exit 1; }

apt() { DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 "$@"; }

# Writes a file only when that changes it; true if it did.
wrote() {
  local path=$1 text=$2
  [[ -e "$path" && "$(<"$path")" == "$text" ]] && return 1
  mkdir -p "$(dirname "$path")"
  printf '%s\n' "$text" >"$path"
}

quieten() {
  local unit
  for unit in "${DISTURBERS[@]}"; do
    # "static" ones are not enabled themselves: their timers are, and these are listed too.
    systemctl is-active --quiet "$unit" || [[ "$(systemctl is-enabled "$unit" 2>/dev/null)" == enabled ]] || continue
    say "switching off $unit"
    systemctl disable --now "$unit"
  done
  # What an SSH session leaves behind may not live on under a lingering user manager.
  local user
  for user in "$PREFIX"/var/lib/systemd/linger/*; do
    [[ -e "$user" ]] || continue
    loginctl disable-linger "${user##*/}"
  done
}

raise_buffers() {
  local text
  text="net.core.rmem_max = $SOCKET_BUFFER_BYTES
net.core.wmem_max = $SOCKET_BUFFER_BYTES
net.ipv4.tcp_rmem = 4096 131072 $SOCKET_BUFFER_BYTES
net.ipv4.tcp_wmem = 4096 65536 $SOCKET_BUFFER_BYTES"
  if wrote "$SYSCTLS" "$text"; then say "socket buffers up to $SOCKET_BUFFER_BYTES bytes in $SYSCTLS"; fi
  sysctl -q -p "$SYSCTLS"
  local key value
  # Set is not enough: a limit that was not taken is the commonest silent error of QUIC measurements.
  for key in net.core.rmem_max net.core.wmem_max; do
    value=$(sysctl -n "$key")
    ((value == SOCKET_BUFFER_BYTES)) || fail "$key is $value after it was set to $SOCKET_BUFFER_BYTES"
  done
}

load_bbr() {
  # For the sweeps under BBR; CUBIC stays what it was.
  if wrote "$PREFIX/etc/modules-load.d/longlook.conf" tcp_bbr; then modprobe tcp_bbr || say "no module tcp_bbr: sweeps under BBR will not run"; fi
}

make_folder() {
  # Like /var/tmp itself: whoever has an account in this experiment may measure.
  install -d -m 1777 "$FOLDER"
}

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
  local candidate
  for candidate in python3 python3.11 python3.12 python3.13; do
    if command -v "$candidate" >/dev/null && is_new_enough "$candidate"; then command -v "$candidate" && return; fi
  done
  return 1
}

install_python() {
  find_python >/dev/null && return
  say "no Python 3.11 here: installing it"
  apt update
  # Ubuntu 22.04 has it in `universe`; 24.04 and later have a newer one and never get here.
  apt install --no-install-recommends python3.11 python3.11-venv || fail "this system's packages hold no python3.11: choose another system"
  find_python >/dev/null || fail "still no Python 3.11 or newer after installing one"
}

bootstrap() {
  # Safe path: Python must not take the repository's files for modules of its own library (its profile.py for `profile`).
  say "tools/bootstrap for $1"
  PYTHON=$(find_python) PYTHONSAFEPATH=1 LONGLOOK_CACHE="$FOLDER/cache" tools/bootstrap --root "$1"
}

at_least() { [[ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" == "$2" ]]; }

# Says within seconds, and not after half an hour of downloads, that a system is too old. Ubuntu 18.04 is: its C library
# is 2.27, and its setpriv (util-linux 2.31) cannot tie a program's life to its owner's, which 2.33 began with.
check_system() {
  local remedy='end the experiment and choose ubuntu = UBUNTU22-64-STD in the parameters (emulab/README.md says why)'
  local glibc
  glibc=$(getconf GNU_LIBC_VERSION)
  at_least "${glibc#glibc }" "$LEAST_GLIBC" || fail "this system has $glibc, and the locked Python packages need $LEAST_GLIBC or newer: $remedy"
  setpriv --pdeathsig KILL -- true 2>/dev/null || fail "this system's setpriv knows no --pdeathsig: $remedy"
}

keep_log() {
  local status=$? folder="$PREFIX/proj/${project:-}/longlook"
  ((status == 0)) || say "ended with status $status"
  [[ -n "${project:-}" && -d "$PREFIX/proj/$project" ]] || return 0
  mkdir -p "$folder" && cp "$LOG" "$folder/setup-$(hostname).log" || say "could not copy the log to $folder"
}

main() {
  local stack=$1
  say "begins on $(hostname): $(uname -sr), stack $stack"
  rm -f "$FOLDER/ready"
  [[ -e "envs/$stack/stack.toml" ]] || grep -qxF "[$stack]" envs/variants.toml || fail "no stack $stack in $PWD/envs"
  check_system
  quieten
  raise_buffers
  load_bbr
  make_folder
  install_python
  bootstrap "$stack"
  printf '%s %s\n' "$stack" "$(git -C "$PWD" -c safe.directory='*' rev-parse HEAD 2>/dev/null || echo unknown)" >"$FOLDER/ready"
  say "ready: $(find_python), $(uname -r), stack $stack"
}

(($# >= 1)) || { printf 'usage: setup-node.sh STACK [PROJECT]\n' >&2; exit 2; }
(($(id -u) == 0)) || { printf 'setup-node.sh needs root: sudo %s %s\n' "$0" "$*" >&2; exit 1; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."
project=${2:-}
mkdir -p "$(dirname "$LOG")"
trap keep_log EXIT
main "$1" 2>&1 | tee -a "$LOG"
