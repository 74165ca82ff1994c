package main

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
)

func TestEndToEndDelay(t *testing.T) {
	b := newTestbed(t)
	b.both(`"delay_ms":18,"bandwidth_mbps":100,"queue_bytes":900000`)
	out := b.in("cli", "ping", "-n", "-q", "-c", "5", "-i", "0.01", serverIP) // warms up
	out = b.in("cli", "ping", "-n", "-c", "100", "-i", "0.01", serverIP)
	var rtt []float64
	for _, m := range regexp.MustCompile(`time=([\d.]+)`).FindAllStringSubmatch(out, -1) {
		v, _ := strconv.ParseFloat(m[1], 64)
		rtt = append(rtt, v)
	}
	sort.Float64s(rtt)
	if len(rtt) != 100 || rtt[50] < 35.7 || rtt[50] > 38 {
		t.Errorf("%d answers, median %v ms, want 36.0 + 0.3 (and twice 8 us of serialisation)", len(rtt), rtt[len(rtt)/2])
	}
}

func TestEndToEndRateAndQueue(t *testing.T) {
	b := newTestbed(t)
	b.both(`"delay_ms":5,"bandwidth_mbps":20,"queue_bytes":60560`) // 40 frames of 1514
	got := b.blast(6000, 1514, 30)
	took := got[len(got)-1].at.Sub(got[0].at).Seconds()
	rate := float64(len(got)-1) * 1514 * 8 / took / 1e6
	if math.Abs(rate-20) > 0.4 {
		t.Errorf("rate %v Mbit/s, want 20", rate)
	}
	var waits []float64
	for _, a := range got {
		waits = append(waits, a.took.Seconds()*1000)
	}
	sort.Float64s(waits)
	// A full queue makes the last packet wait for 40 serialisations of 0.6056 ms.
	if p90 := waits[len(waits)*9/10]; p90 < 28.3 || p90 > 35 {
		t.Errorf("90 %% of packets waited up to %v ms, want 5 + 24.2", p90)
	}
	c := b.ask(`{"op":"counters"}`).ServerToClient
	if c.QueueBytesMax > 60560 || c.QueueBytesMax < 59046 || c.DroppedQueue != int64(6000-len(got)) {
		t.Errorf("%d arrived, counters %+v", len(got), c)
	}
}

func TestEndToEndNothingIsLostAt100Mbps(t *testing.T) {
	b := newTestbed(t)
	b.both(`"delay_ms":18,"bandwidth_mbps":100,"queue_bytes":900000`)
	got := b.blast(24000, 1514, 95)
	c := b.ask(`{"op":"counters"}`).ServerToClient
	if len(got) != 24000 || c.SocketDrops != 0 || c.SendErrors != 0 || c.PartialChecksums != 0 {
		t.Errorf("%d of 24000 arrived, counters %+v", len(got), c)
	}
	if !ordered(got) {
		t.Error("packets overtook each other without jitter")
	}
}

func TestEndToEndLossIsTheSeededOne(t *testing.T) {
	b := newTestbed(t)
	b.both(`"loss_pct":1,"delay_ms":2`)
	model := lossOf(1, 77, streamServerToClient)
	for round := 0; round < 2; round++ {
		b.ask(`{"op":"reseed","seed":77}`)
		arrived := map[uint64]bool{}
		for _, a := range b.blast(20000, 200, 30+float64(round)*20) {
			arrived[a.seq] = true
		}
		for n := uint64(1); n <= 20000; n++ {
			if arrived[n] == model.lost(n) {
				t.Fatalf("round %d: packet %d arrived: %v, its fate was lost: %v", round, n, arrived[n], model.lost(n))
			}
		}
	}
}

// times counts how often each datagram of a blast arrived.
func times(got []arrival) map[uint64]int {
	counts := map[uint64]int{}
	for _, a := range got {
		counts[a.seq]++
	}
	return counts
}

func TestEndToEndCorruptedAreDiscardedDuplicatesComeTwiceAndBurstsAreTheSeededOnes(t *testing.T) {
	const n = 20000
	b := newTestbed(t)
	what := func(pct, correlation float64, purpose uint64) *chance {
		c := newChance(pct, correlation, newRandomStream(77, streamServerToClient, purpose))
		return &c
	}
	for _, c := range []struct {
		keys    string
		befalls func(uint64) bool
		comes   int
	}{
		{`"corrupt_pct":20,"corrupt_correlation_pct":25`, what(20, 25, streamCorrupt).befalls, 0},
		{`"duplicate_pct":20,"duplicate_correlation_pct":25`, what(20, 25, streamDuplicate).befalls, 2},
		{`"loss_pct":20,"loss_correlation_pct":25`, what(20, 25, streamLoss).befalls, 0},
		{`"gemodel":{"p_pct":1,"r_pct":50,"one_minus_h_pct":100,"one_minus_k_pct":0}`,
			newGemodel(gemodelConfig{1, 50, 100, 0}, 77, streamServerToClient).lost, 0},
	} {
		b.both(c.keys + `,"delay_ms":2`)
		b.ask(`{"op":"reseed","seed":77}`)
		b.ask(`{"op":"counters","reset":true}`)
		arrived := times(b.blastOf(n, 2*n, 200, 30))
		befallen := int64(0)
		for seq := uint64(1); seq <= n; seq++ {
			want := 1
			if c.befalls(seq) {
				befallen++
				want = c.comes
			}
			if arrived[seq] != want {
				t.Fatalf("%s: packet %d arrived %d times, not %d", c.keys, seq, arrived[seq], want)
			}
		}
		got := b.ask(`{"op":"counters"}`).ServerToClient
		if sum := got.Corrupted + got.Duplicated + got.DroppedLoss; sum != befallen || befallen < 100 {
			t.Errorf("%s: %d packets, counters %+v", c.keys, befallen, got)
		}
		t.Logf("%s: %d of %d packets", c.keys, befallen, n)
	}
}

func TestEndToEndNormalJitter(t *testing.T) {
	const n = 6000
	b := newTestbed(t)
	b.both(`"delay_ms":60,"seed":5,"jitter":{"mode":"normal","sd_ms":10}`)
	got := b.blast(n, 200, 3)
	if len(got) != n || ordered(got) {
		t.Fatalf("%d of %d arrived, in order: %v", len(got), n, ordered(got))
	}
	cfg := dirConfig{DelayMs: 60, Seed: 5, Jitter: jitterConfig{Mode: jitterNormal, SdMs: 10}}
	model := newJitterSource(cfg, streamServerToClient, 0)
	delays, beyond := make([]float64, n), make([]float64, n)
	for _, a := range got {
		delays[a.seq-1] = a.took.Seconds() * 1000
	}
	for i := range delays {
		beyond[i] = delays[i] - float64(model.delay(uint64(i+1), 0))/1e6
	}
	mean, sd, lag := moments(delays)
	sort.Float64s(beyond)
	t.Logf("60 ms with 10 ms: mean %.2f ms, sd %.2f ms, correlation %.3f; %.2f ms beyond the packet's own, nine of ten %.2f",
		mean, sd, lag, beyond[n/2], beyond[n*9/10])
	// Each packet has the delay that its number drew; a busy machine holds some up.
	if beyond[n/20] < -0.2 || beyond[n/2] > 1 || beyond[n*3/4] > 3 {
		t.Errorf("from %v to %v ms beyond what was drawn, median %v", beyond[0], beyond[n-1], beyond[n/2])
	}
}

func ordered(got []arrival) bool {
	return sort.SliceIsSorted(got, func(i, j int) bool { return got[i].seq < got[j].seq })
}

func TestEndToEndOvertakingOnlyWithJitter(t *testing.T) {
	b := newTestbed(t)
	for _, c := range []struct {
		jitter  string
		inOrder bool
	}{
		{`{"mode":"none"}`, true},
		{`{"mode":"uniform","range_ms":10}`, false},
		{`{"mode":"redraw","range_ms":30,"interval_ms":50}`, false},
	} {
		b.both(`"delay_ms":20,"bandwidth_mbps":50,"jitter":` + c.jitter)
		got := b.blast(6000, 1000, 40)
		if len(got) != 6000 || ordered(got) != c.inOrder {
			t.Errorf("jitter %s: %d of 6000 arrived, in order: %v", c.jitter, len(got), ordered(got))
		}
	}
}

func TestEndToEndLogMatchesCounters(t *testing.T) {
	b := newTestbed(t)
	b.both(`"loss_pct":5,"delay_ms":2,"bandwidth_mbps":10,"queue_bytes":30000`)
	path := filepath.Join(t.TempDir(), "log.tsv")
	b.ask(`{"op":"log","path":"` + path + `"}`)
	b.blast(3000, 1000, 15)
	b.ask(`{"op":"log","path":""}`)
	c := b.ask(`{"op":"counters"}`).ServerToClient
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for event, want := range map[string]int64{"in": c.PacketsIn, "loss": c.DroppedLoss, "queue_drop": c.DroppedQueue, "out": c.PacketsOut} {
		if got := strings.Count(string(text), "\t"+event+"\t"); int64(got) != want || got == 0 {
			t.Errorf("%d %q lines, counter %d", got, event, want)
		}
	}
}

func TestEndToEndTCPFillsTheLink(t *testing.T) {
	b := newTestbed(t)
	if _, err := exec.LookPath("iperf3"); err != nil {
		t.Skip("iperf3 is not installed")
	}
	b.both(`"delay_ms":18,"bandwidth_mbps":100,"queue_bytes":900000`)
	defer b.serveIperf()()
	var report struct {
		End struct {
			Received struct {
				Bps float64 `json:"bits_per_second"`
			} `json:"sum_received"`
		} `json:"end"`
	}
	out := b.in("cli", "iperf3", "-c", serverIP, "-R", "-J", "-t", "4", "-O", "2")
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	if got, most := report.End.Received.Bps/1e6, 100.0*1448/1514; got < 0.95*most {
		t.Errorf("TCP reached %v of %v Mbit/s", got, most)
	}
}

// serveIperf starts an iperf3 server, waits until it listens and returns what
// ends it.
func (b *testbed) serveIperf() func() {
	server := exec.Command("ip", "netns", "exec", b.ns("srv"), "iperf3", "-s", "-1", "--forceflush")
	stdout, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	buf := make([]byte, 4096)
	for seen := ""; !strings.Contains(seen, "listening"); {
		n, err := stdout.Read(buf)
		if err != nil {
			b.t.Fatalf("iperf3 said %q: %v", seen, err)
		}
		seen += string(buf[:n])
	}
	go io.Copy(io.Discard, stdout)
	return func() {
		server.Process.Kill()
		server.Wait()
	}
}
