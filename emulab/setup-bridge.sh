#!/bin/sh
# Makes a FreeBSD link bridge ready for longlook; the profile starts it as root when the node has booted.
# Usage: setup-bridge.sh [STACK [PROJECT]] (the stack makes no difference here). It may be run again at any time.
# Log: /var/log/longlook-setup.log, copied to /proj/PROJECT/longlook/ at the end. /var/tmp/longlook/ready appears last.
#
# It only raises limits. Emulab has loaded bridge, ipfw and dummynet, joined the two interfaces, made a pipe for each
# direction and set kern.hz to 10000 (its clientside/tmcc/freebsd/delaysetup); the link driver configures the pipes.
# No socket buffers: packets are forwarded and reach no socket of this node.
set -eu
# FreeBSD's sh knows it since 13.0; no pipeline below depends on it.
# shellcheck disable=SC3040
if (set -o pipefail) 2>/dev/null; then set -o pipefail; fi

PREFIX="${LONGLOOK_PREFIX:-}" # empty on a node; tests put a folder of theirs in front of every path that is written
LOG="$PREFIX/var/log/longlook-setup.log"
FOLDER="$PREFIX/var/tmp/longlook"
DELAY_MAP="$PREFIX/var/emulab/boot/delay_mapping"

DUMMYNET=net.inet.ip.dummynet
# Most that `ipfw pipe N config queue` accepts. The largest queue of the sweeps, 2 x BDP at 100 Mbit/s and 112 ms, is
# 2.8 MB, above the kernel's default of 1 MiB; an ipfw that is asked for more than the limit refuses.
QUEUE_BYTES=16777216
QUEUE_SLOTS=16384
# Buckets for dynamic queues. Our pipes have no mask and hence one queue each; the limit is there for those who add masks.
HASH_SIZE=1024
# Packets wait in queue and delay line of two directions: 2 x (2.8 + 1.4) MB are 5600 clusters. Emulab's own number.
CLUSTERS=65536
LEAST_HZ=1000

# Both to the terminal (Emulab keeps it) and to the log.
say() { printf '%s setup-bridge: %s\n' "$(date +%H:%M:%S)" "$*" | tee -a "$LOG"; }
fail() { say "FAILED: $*"; exit 1; }

# set_to KEY VALUE: sets it, unless it is so, and reads it back.
set_to() {
  was=$(sysctl -n "$1") || fail "no sysctl $1"
  [ "$was" = "$2" ] && return 0
  sysctl "$1=$2" >>"$LOG" 2>&1 || fail "sysctl $1=$2 was refused; it is $was"
  now=$(sysctl -n "$1")
  [ "$now" = "$2" ] || fail "$1 is $now after it was set to $2"
  say "$1: $was -> $now"
}

# set_least KEY VALUE: raises it, and never lowers it.
set_least() {
  has=$(sysctl -n "$1") || fail "no sysctl $1"
  [ "$has" -ge "$2" ] || set_to "$1" "$2"
}

raise_limits() {
  set_least "$DUMMYNET.pipe_byte_limit" "$QUEUE_BYTES"
  set_least "$DUMMYNET.pipe_slot_limit" "$QUEUE_SLOTS"
  set_least "$DUMMYNET.hash_size" "$HASH_SIZE"
  set_least kern.ipc.nmbclusters "$CLUSTERS"
  # Fast mode lets packets past the scheduler of an idle pipe: every packet takes the same way.
  set_to "$DUMMYNET.io_fast" 0
  # An idle queue that is deleted takes its counters of packets and drops along, which the link driver reads.
  set_to "$DUMMYNET.expire" 0
}

# dummynet counts time in ticks of 1/hz s, so hz is its resolution: 0.1 ms at 10000, 1 ms at 1000. It is set at boot.
check_clock() {
  clock=$(sysctl -n kern.clockrate)
  hz=$(printf '%s\n' "$clock" | sed -n 's/.*[{ ]hz = \([0-9]*\),.*/\1/p')
  [ -n "$hz" ] || fail "cannot read hz from kern.clockrate: $clock"
  [ "$hz" -ge "$LEAST_HZ" ] || fail "kern.hz is $hz, so delays are whole ticks of 1/$hz s: put kern.hz=10000 into /boot/loader.conf and reboot"
  say "kern.hz is $hz: delays are multiples of 1/$hz s"
}

# For whoever checks by hand which pipe serves which direction: emulab/README.md, step 4.
show_pipes() {
  if [ -e "$DELAY_MAP" ]; then
    say "$DELAY_MAP (link, kind, two ends, two interfaces, two pipes): $(cat "$DELAY_MAP")"
  else
    say "there is no $DELAY_MAP"
  fi
  { ipfw pipe show; ipfw show; ifconfig -g bridge; } >>"$LOG" 2>&1 || say "could not list pipes, rules and bridges"
}

keep_log() {
  status=$?
  [ "$status" -eq 0 ] || say "ended with status $status; the log is $LOG"
  if [ -n "$project" ] && [ -d "$PREFIX/proj/$project" ]; then
    mkdir -p "$PREFIX/proj/$project/longlook" && cp "$LOG" "$PREFIX/proj/$project/longlook/setup-$(hostname).log" ||
      say "could not copy the log to /proj/$project/longlook"
  fi
}

project=${2:-}
[ "$(id -u)" -eq 0 ] || { echo "setup-bridge.sh needs root: sudo $0 $*" >&2; exit 1; }
mkdir -p "$FOLDER" "$(dirname "$LOG")"
trap keep_log EXIT
rm -f "$FOLDER/ready"
say "begins on $(hostname): $(uname -sr)"
sysctl -n "$DUMMYNET.pipe_byte_limit" >/dev/null 2>&1 ||
  fail "dummynet is not loaded: this is no link bridge, or Emulab's delay set-up (/var/emulab/boot/rc.delay) has not run"
raise_limits
check_clock
show_pipes
echo "bridge" >"$FOLDER/ready"
say "ready"
