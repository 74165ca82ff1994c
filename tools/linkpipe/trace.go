package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"sort"
	"strconv"
)

// What an opportunity carries, and what a frame takes of it: an IP packet with the
// four bytes that a TUN device has before it, as mahimahi counts. A frame has
// Ethernet's fourteen there: a full one takes a whole opportunity.
const (
	opportunityBytes = 1504
	frameBeyondTun   = 14 - 4
)

const (
	nsPerMs       = 1e6
	maxTraceBytes = 10e6
	maxTraceMs    = 3600e3
)

// traceConfig names a trace in mahimahi's format: a whole number of milliseconds on
// each line. Its clock stands at OffsetMs when the direction is configured or reseeded.
type traceConfig struct {
	Path     string `json:"path"`
	SHA256   string `json:"sha256"` // the file is refused if it is another one
	OffsetMs int64  `json:"offset_ms"`
	at       []int64
}

// load reads the file, once, so that a configuration that is taken has all it needs.
func (c *traceConfig) load() error {
	info, err := os.Stat(c.Path)
	if err != nil {
		return fmt.Errorf("trace: %v", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxTraceBytes {
		return fmt.Errorf("trace: %s is no file of at most %g bytes", c.Path, maxTraceBytes)
	}
	text, err := os.ReadFile(c.Path)
	if err != nil {
		return fmt.Errorf("trace: %v", err)
	}
	if found := fmt.Sprintf("%x", sha256.Sum256(text)); found != c.SHA256 {
		return fmt.Errorf("trace: sha256 of %s is %s, not %q", c.Path, found, c.SHA256)
	}
	if c.at, err = parseTrace(text); err != nil {
		return fmt.Errorf("trace: %s: %v", c.Path, err)
	}
	if c.OffsetMs < 0 || c.OffsetMs > maxTraceMs {
		return fmt.Errorf("trace.offset_ms is %d, must be between 0 and %g", c.OffsetMs, maxTraceMs)
	}
	return nil
}

// parseTrace returns the opportunities, in nanoseconds from the trace's beginning.
func parseTrace(text []byte) ([]int64, error) {
	var at []int64
	for n, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		ms, err := strconv.ParseUint(string(line), 10, 32)
		if err != nil || ms > maxTraceMs {
			return nil, fmt.Errorf("line %d is no number of milliseconds up to %g: %.40q", n+1, maxTraceMs, line)
		}
		if ns := int64(ms) * nsPerMs; len(at) == 0 || ns >= at[len(at)-1] {
			at = append(at, ns)
			continue
		}
		return nil, fmt.Errorf("line %d is earlier than the one before", n+1)
	}
	if at[len(at)-1] == 0 {
		return nil, fmt.Errorf("it lasts no time")
	}
	return at, nil
}

// opportunities is a line whose packets leave when a trace has an opportunity. It
// follows mahimahi's mm-link (src/frontend/link_queue.cc):
//   - an opportunity is for what arrived before it, and passes unused otherwise;
//   - a packet leaves at the opportunity in which its last byte fits; what that one
//     has left is the next packet's, if that has arrived, and is lost if none has;
//   - the trace lasts until its last line and then begins again: an opportunity at 0
//     comes together with the last one of the round before.
//
// mahimahi's clock counts whole milliseconds, this one nanoseconds; and there the
// packet on the line takes no room in the queue, here it does, as without a trace.
type opportunities struct {
	at    []int64
	round int64 // time at which the round began that next is in
	next  int   // the opportunity in use, or the first one to come
	left  int   // bytes that it has left
}

func (o *opportunities) period() int64 { return o.at[len(o.at)-1] }

// begin sets the trace's clock to offset at time now; the first opportunity that can
// be used comes after the time from.
func (o *opportunities) begin(now, offset, from int64) {
	o.round = now - offset
	o.seek(from)
}

// seek goes to the first opportunity after a time.
func (o *opportunities) seek(now int64) {
	if whole := now - o.round; whole >= o.period() {
		o.round += whole / o.period() * o.period()
	}
	o.next, o.left = sort.Search(len(o.at), func(i int) bool { return o.round+o.at[i] > now }), opportunityBytes
}

// advance goes to the following opportunity.
func (o *opportunities) advance() {
	o.next++
	o.left = opportunityBytes
	if o.next >= len(o.at) {
		o.round += o.period()
		o.next = 0
	}
}

// upcoming is the time of the first opportunity that has room for what arrived at time since.
func (o *opportunities) upcoming(since int64) int64 {
	if o.round+o.at[o.next] <= since {
		o.seek(since)
	} else if o.left == 0 {
		o.advance()
	}
	return o.round + o.at[o.next]
}

// send books a frame of length bytes that arrives at time now and returns the time of
// the opportunity at which it leaves.
func (o *opportunities) send(now int64, length int) int64 {
	if o.round+o.at[o.next] <= now {
		o.seek(now)
	}
	for need := length - frameBeyondTun; ; o.advance() {
		if need <= o.left {
			o.left -= need
			return o.round + o.at[o.next]
		}
		need -= o.left
	}
}
