package main

import (
	"crypto/sha256"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func traced(at ...int64) *traceConfig {
	c := &traceConfig{}
	for _, one := range at {
		c.at = append(c.at, one*ms)
	}
	return c
}

func following(c *traceConfig) *serialiser {
	s := &serialiser{}
	s.follow(0, c)
	return s
}

func TestAFullFrameTakesAnOpportunity(t *testing.T) {
	s := following(traced(3, 3, 10, 50))
	var got []int64
	for i := 0; i < 6; i++ {
		got = append(got, s.send(0, 1514)/ms)
	}
	if want := []int64{3, 3, 10, 50, 53, 53}; !reflect.DeepEqual(got, want) {
		t.Errorf("frames leave at %v ms, want %v: the trace begins again after its last line", got, want)
	}
}

func TestWhatAnOpportunityHasLeftIsTheNextFrames(t *testing.T) {
	s := following(traced(5, 10, 20))
	for i, want := range []int64{5, 5, 10, 10} { // 1000, 504 of 1000, 496 and 1008 of 1008, all of it
		if got := s.send(0, []int{1010, 514, 506, 1018}[i]); got != want*ms {
			t.Errorf("frame %d leaves at %d ns, want %d ms", i, got, want)
		}
	}
	if got := s.send(6*ms, 54); got != 20*ms {
		t.Errorf("behind a full opportunity a frame leaves at %d ns, want 20 ms", got)
	}
}

func TestWhatNobodyWaitsForIsLost(t *testing.T) {
	s := following(traced(5, 10, 20))
	s.send(0, 60) // leaves nearly all of the first one
	if got := s.send(5*ms, 60); got != 10*ms {
		t.Errorf("a frame that arrives with an opportunity leaves at %d ns, want 10 ms: it is too late for it", got)
	}
	if got := s.send(4003*ms, 60); got != 4005*ms {
		t.Errorf("after an idle time a frame leaves at %d ns, want 4005 ms", got)
	}
}

func TestATraceBeginsAtItsOffset(t *testing.T) {
	for _, one := range []struct{ offset, want int64 }{{0, 5}, {4, 1}, {5, 5}, {19, 1}, {20, 5}, {46, 4}} {
		c := traced(5, 10, 20)
		c.OffsetMs = one.offset
		s := &serialiser{}
		s.follow(1000*ms, c)
		if got := s.send(1000*ms, 1514); got != (1000+one.want)*ms {
			t.Errorf("offset %d: the first frame leaves at %d ns, want %d ms later", one.offset, got, one.want)
		}
	}
}

// departures is mahimahi's order of events, by the millisecond: opportunities come
// one after the other, each for those that arrived before.
func departures(trace []int64, arrivals []int64, lengths []int) []int64 {
	var gone []int64
	left, round := lengths[0]-frameBeyondTun, int64(0)
	for i := 0; len(gone) < len(arrivals); i++ {
		if i == len(trace) {
			i, round = 0, round+trace[len(trace)-1]
		}
		now := round + trace[i]
		for room := opportunityBytes; room > 0 && len(gone) < len(arrivals) && arrivals[len(gone)] < now; {
			used := left
			if used > room {
				used = room
			}
			room, left = room-used, left-used
			if left == 0 {
				gone = append(gone, now)
				if len(gone) < len(arrivals) {
					left = lengths[len(gone)] - frameBeyondTun
				}
			}
		}
	}
	return gone
}

func TestBookedDeparturesAreThoseOfTheEvents(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for round := 0; round < 300; round++ {
		c, now := &traceConfig{}, int64(0)
		for i := 0; i <= random.Intn(20); i++ {
			now += int64(random.Intn(4)) * ms
			c.at = append(c.at, now)
		}
		c.at = append(c.at, now+ms)
		var arrivals, got []int64
		var lengths []int
		s, at := following(c), int64(0)
		for i := 0; i < 200; i++ {
			at += int64(random.Intn(3)) * int64(random.Intn(int(ms)))
			arrivals, lengths = append(arrivals, at), append(lengths, 42+random.Intn(1473))
			got = append(got, s.send(at, lengths[i]))
		}
		if want := departures(c.at, arrivals, lengths); !reflect.DeepEqual(got, want) {
			t.Fatalf("trace %v, arrivals %v of %v: booked %v, events %v", c.at, arrivals, lengths, got, want)
		}
	}
}

func TestAfterAReseedATraceMeetsFramesAlike(t *testing.T) {
	b := newBench(dirConfig{DelayMs: 2, Trace: traced(1, 4, 9)})
	offset := int64(3)
	for _, begun := range []int64{100, 1007, 2050} {
		b.sent = nil
		b.d.reseed(begun*ms, 7, &offset)
		for i := int64(0); i < 3; i++ {
			b.arrive((begun+i)*ms, 1514)
		}
		b.run((begun + 50) * ms)
		for i, want := range []int64{1, 6, 7} { // 4, 9 and 10 by the trace's clock
			if got := b.sent[i].at/ms - begun; got != want+2 {
				t.Errorf("reseeded at %d ms, frame %d is due %d ms later, want %d", begun, i, got, want+2)
			}
		}
	}
	if b.d.cfg.Trace.OffsetMs != 3 {
		t.Errorf("the configuration tells an offset of %d ms, want 3", b.d.cfg.Trace.OffsetMs)
	}
}

func TestAReseedSendsOffWhatWaits(t *testing.T) {
	b := newBench(dirConfig{Trace: traced(1, 1, 500)})
	for i := 0; i < 3; i++ {
		b.arrive(2*ms, 1514) // at 500, 501 and 501
	}
	b.d.reseed(3*ms, 7, nil)
	b.arrive(3*ms, 1514)
	b.run(2000 * ms)
	for i, want := range []int64{3, 3, 3, 4} {
		if got := b.sent[i]; !b.inOrder() || got.at != want*ms {
			t.Errorf("frame %d leaves at %d ns, want %d ms: at the reseed, and by the clock that it set", i, got.at, want)
		}
	}
	if b.d.queue.bytes != 0 {
		t.Errorf("%d bytes are still in the queue", b.d.queue.bytes)
	}
}

func TestConfiguringFollowsAndLeavesATrace(t *testing.T) {
	b := newBench(dirConfig{BandwidthMbps: 12.112}) // a full frame in 1 ms
	b.arrive(0, 1514)
	b.arrive(0, 1514)
	b.d.configure(0, withMode(dirConfig{Trace: traced(7, 8)}))
	b.run(50 * ms)
	b.arrive(57*ms, 1514)
	b.arrive(58*ms, 1514)
	b.d.configure(58*ms, withMode(dirConfig{Trace: traced(500)}))
	b.run(99 * ms)
	b.arrive(99*ms, 1514)
	b.d.configure(100*ms, withMode(dirConfig{BandwidthMbps: 12.112}))
	b.arrive(100*ms, 1514)
	b.run(200 * ms)
	var got []int64
	for _, one := range b.sent {
		got = append(got, one.at/ms)
	}
	// On the line, by the trace, sent off twice and once when the trace changes or goes, at the rate.
	if want := []int64{1, 7, 58, 58, 100, 101}; !reflect.DeepEqual(got, want) {
		t.Errorf("frames leave at %v ms, want %v", got, want)
	}
}

func TestATraceThatIsNone(t *testing.T) {
	folder := t.TempDir()
	for text, want := range map[string]string{
		"":          "line 1 is no number",
		"\n":        "line 1 is no number",
		"0\n0\n":    "lasts no time",
		"5\n4\n":    "line 2 is earlier",
		"1\nx\n":    "line 2 is no number",
		"-1\n":      "line 1 is no number",
		"1\n\n2\n":  "line 2 is no number",
		"3600001\n": "line 1 is no number",
	} {
		path := filepath.Join(folder, "trace")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := traceConfig{Path: path, SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(text)))}
		if err := c.load(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want one that says %q", text, err, want)
		}
	}
	path := filepath.Join(folder, "trace")
	os.WriteFile(path, []byte("1\n"), 0o600)
	for _, one := range []struct{ dir, want string }{
		{fmt.Sprintf(`{"trace":{"path":%q,"sha256":"00"}}`, path), "sha256 of"},
		{`{"trace":{"path":"/nowhere","sha256":"00"}}`, "no such file"},
		{fmt.Sprintf(`{"trace":{"path":%q,"sha256":"00"}}`, folder), "no file of at most"},
		{`{"trace":{"file":"/nowhere"}}`, "known keys: path, sha256, offset_ms"},
		{`{"bandwidth_mbps":1,"burst_bytes":5000,"trace":{}}`, "burst_bytes is 5000 beside a trace"},
	} {
		if _, err := parseDir([]byte(one.dir), "there"); err == nil || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%s: %v, want one that says %q", one.dir, err, one.want)
		}
	}
}
