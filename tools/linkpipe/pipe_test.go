package main

import (
	"reflect"
	"testing"
)

// out is a packet that left a direction under test; id counts the accepted ones.
type out struct {
	id int32
	at int64
}

// bench drives a direction on a virtual clock, as a worker does on the real one.
type bench struct {
	d    *direction
	sent []out
	id   int32
}

func newBench(cfg dirConfig) *bench {
	b := &bench{d: newDirection(streamServerToClient, 0)}
	b.d.configure(0, withMode(cfg))
	return b
}

func withMode(cfg dirConfig) dirConfig {
	if cfg.Jitter.Mode == "" {
		cfg.Jitter.Mode = jitterNone
	}
	return cfg
}

// run lets the time pass until t, event by event.
func (b *bench) run(t int64) {
	for {
		at, ok := b.d.nextEvent()
		if !ok || at > t {
			return
		}
		for p, ok := b.d.pop(at, at); ok; p, ok = b.d.pop(at, at) {
			b.sent = append(b.sent, out{p.slot, p.due})
		}
	}
}

func (b *bench) arrive(t int64, length int) verdict {
	b.run(t)
	v := b.d.offer(t, length)
	if v == accepted {
		b.id++
		b.d.accept(t, length, b.id)
	}
	return v
}

func (b *bench) inOrder() bool {
	for i := 1; i < len(b.sent); i++ {
		if b.sent[i].id < b.sent[i-1].id {
			return false
		}
	}
	return true
}

func TestPacketIsSerialisedThenDelayed(t *testing.T) {
	b := newBench(dirConfig{BandwidthMbps: 10, DelayMs: 18})
	b.arrive(500, 1514)
	b.arrive(500, 1514)
	b.run(1e9)
	want := []out{{1, 500 + 1211200 + 18*ms}, {2, 500 + 2*1211200 + 18*ms}}
	if len(b.sent) != 2 || b.sent[0] != want[0] || b.sent[1] != want[1] {
		t.Errorf("got %v, want %v", b.sent, want)
	}
}

func TestQueueDropsTheTailAtItsLimit(t *testing.T) {
	b := newBench(dirConfig{BandwidthMbps: 10, QueueBytes: 4542}) // three full frames
	for i := 0; i < 3; i++ {
		if b.arrive(0, 1514) != accepted {
			t.Fatalf("packet %d was dropped", i+1)
		}
	}
	if b.arrive(0, 60) != droppedQueue {
		t.Error("a packet beyond the limit was admitted")
	}
	if b.arrive(1211199, 1514) != droppedQueue {
		t.Error("admitted one nanosecond before there was room")
	}
	if b.arrive(1211200, 1514) != accepted {
		t.Error("dropped although a packet has just been serialised")
	}
	if c := b.d.snapshot(1211200); c.DroppedQueue != 2 || c.QueuePackets != 3 || c.QueueBytesMax != 4542 {
		t.Errorf("counters %+v", c)
	}
}

func TestQueueDropsTheTailAtItsLimitInPackets(t *testing.T) {
	b := newBench(dirConfig{BandwidthMbps: 10, QueuePackets: 3})
	for i, length := range []int{1514, 60, 1514} {
		if b.arrive(0, length) != accepted {
			t.Fatalf("packet %d was dropped", i+1)
		}
	}
	if b.arrive(0, 60) != droppedQueue {
		t.Error("a packet beyond the limit was admitted")
	}
	if b.arrive(1211199, 60) != droppedQueue {
		t.Error("admitted one nanosecond before there was room")
	}
	if b.arrive(1211200, 1514) != accepted {
		t.Error("dropped although a packet has just been serialised")
	}
	if c := b.d.snapshot(1211200); c.DroppedQueue != 2 || c.QueuePackets != 3 || c.QueueBytesMax != 3088 {
		t.Errorf("counters %+v", c)
	}
	b.d.configure(1211200, withMode(dirConfig{BandwidthMbps: 10}))
	for i := 0; i < 100; i++ {
		if b.arrive(1211200, 1514) != accepted {
			t.Fatal("the limit outlived its configuration")
		}
	}
}

func TestMemoryForAFullQueueIsReserved(t *testing.T) {
	cases := []struct {
		cfg  dirConfig
		want int64
	}{
		{dirConfig{}, 0},
		{dirConfig{QueueBytes: 90000}, 90000},
		{dirConfig{QueuePackets: 50}, 50 * 1536},
		{dirConfig{QueuePackets: 50, BandwidthMbps: 10, DelayMs: 18}, 50*1536 + 22500},
		{dirConfig{QueuePackets: 50, QueueBytes: 3000}, 3000},
		{dirConfig{QueuePackets: 1, QueueBytes: 90000}, 1536},
		{dirConfig{QueuePackets: 1<<31 - 1}, (1<<31 - 1) * 1536},
	}
	for _, c := range cases {
		if got := newBench(c.cfg).d.reserveBytes(1536); got != c.want {
			t.Errorf("%+v: %d bytes reserved, want %d", c.cfg, got, c.want)
		}
	}
}

func TestLossComesBeforeTheQueueAndUsesNoBandwidth(t *testing.T) {
	b := newBench(dirConfig{BandwidthMbps: 10, LossPct: 100, QueueBytes: 100})
	for i := 0; i < 10; i++ {
		if b.arrive(0, 1514) != lostRandom {
			t.Fatal("not lost at 100 %")
		}
	}
	b.d.configure(0, withMode(dirConfig{BandwidthMbps: 10}))
	b.arrive(0, 1000)
	b.run(1e9)
	if len(b.sent) != 1 || b.sent[0].at != 800000 {
		t.Errorf("got %v: lost packets used the line", b.sent)
	}
}

func TestFateDoesNotDependOnTiming(t *testing.T) {
	cfg := dirConfig{LossPct: 5, Seed: 11, BandwidthMbps: 100}
	fast, slow := newBench(cfg), newBench(cfg)
	for i := int64(0); i < 5000; i++ {
		if fast.arrive(i, 100) != slow.arrive(i*i*1000, 1500) {
			t.Fatalf("packet %d has another fate at another time and length", i+1)
		}
	}
}

func TestReseedRestartsFatesAndOrdinals(t *testing.T) {
	b := newBench(dirConfig{LossPct: 5, Seed: 11})
	record := func() (v []verdict) {
		for i := 0; i < 2000; i++ {
			v = append(v, b.arrive(0, 100))
		}
		return v
	}
	first := record()
	b.d.reseed(5, 11, nil)
	if b.d.ordinal != 0 {
		t.Errorf("ordinal is %d after a reseed", b.d.ordinal)
	}
	for i, v := range record() {
		if v != first[i] {
			t.Fatalf("packet %d after the reseed has another fate", i+1)
		}
	}
}

func TestNoOvertakingWithoutJitter(t *testing.T) {
	b := newBench(dirConfig{BandwidthMbps: 10, DelayMs: 50})
	for i := int64(0); i < 300; i++ {
		if i%50 == 49 {
			b.d.configure(i*ms, withMode(dirConfig{BandwidthMbps: float64(i), DelayMs: float64(50 - i/10)}))
		}
		b.arrive(i*ms, 700)
	}
	b.run(1e10)
	if len(b.sent) != 300 || !b.inOrder() {
		t.Errorf("%d packets of 300 left, in order: %v", len(b.sent), b.inOrder())
	}
}

func TestOvertakingWithJitter(t *testing.T) {
	for _, mode := range []string{jitterUniform, jitterRedraw} {
		b := newBench(dirConfig{DelayMs: 50, Seed: 2, Jitter: jitterConfig{Mode: mode, RangeMs: 50, IntervalMs: 100}})
		for i := int64(0); i < 1000; i++ {
			b.arrive(i*ms, 700)
		}
		b.run(1e10)
		if len(b.sent) != 1000 || b.inOrder() {
			t.Errorf("%s: %d packets of 1000 left, in order: %v", mode, len(b.sent), b.inOrder())
		}
	}
}

func TestReconfigurationKeepsQueuedPacketsAndTheirDelay(t *testing.T) {
	b := newBench(dirConfig{BandwidthMbps: 10, DelayMs: 10})
	for i := 0; i < 3; i++ {
		b.arrive(0, 1250) // 1 ms each
	}
	b.d.configure(ms/2, withMode(dirConfig{BandwidthMbps: 5, DelayMs: 40, QueueBytes: 1}))
	if b.arrive(ms/2, 1250) != droppedQueue {
		t.Error("the new queue limit is not in force")
	}
	b.run(1e9)
	// The first ends as booked, the others take 2 ms each at the new rate.
	want := []out{{1, 11 * ms}, {2, 13 * ms}, {3, 15 * ms}}
	if len(b.sent) != 3 || b.sent[0] != want[0] || b.sent[1] != want[1] || b.sent[2] != want[2] {
		t.Errorf("got %v, want %v", b.sent, want)
	}
	b.d.configure(1e9, withMode(dirConfig{BandwidthMbps: 5, DelayMs: 40}))
	b.arrive(1e9, 1250)
	b.run(2e9)
	if got := b.sent[3].at; got != 1e9+42*ms {
		t.Errorf("the first packet under the new configuration left at %d", got)
	}
}

func TestEveryPacketIsAccountedFor(t *testing.T) {
	b := newBench(dirConfig{BandwidthMbps: 8, DelayMs: 30, LossPct: 2, QueueBytes: 20000, Seed: 4,
		Jitter: jitterConfig{Mode: jitterUniform, RangeMs: 20, IntervalMs: 0}})
	for i := int64(0); i < 20000; i++ {
		b.arrive(i*ms/2, int(60+i*37%1400))
	}
	c := b.d.snapshot(1e10)
	inside := c.QueuePackets + c.DelayPackets
	if c.PacketsIn != 20000 || c.PacketsIn != c.DroppedLoss+c.DroppedQueue+inside+int64(len(b.sent)) {
		t.Errorf("%d left, counters %+v", len(b.sent), c)
	}
	if c.DroppedLoss == 0 || c.DroppedQueue == 0 {
		t.Errorf("nothing was dropped: %+v", c)
	}
}

func TestABurstPassesTheQueueAndIsFilledByReseed(t *testing.T) {
	cfg := withMode(dirConfig{BandwidthMbps: 10, QueuePackets: 2, BurstBytes: 4000})
	d := newDirection(streamServerToClient, 0)
	d.configure(0, cfg)
	passed := func(now int64) (at []int64) {
		for d.offer(now, 1000) == accepted {
			at = append(at, d.accept(now, 1000, 0))
		}
		return at
	}
	first := []int64{0, 0, 0, 0, 800000, 1600000}
	if got := passed(0); !reflect.DeepEqual(got, first) {
		t.Errorf("of a bucket of four packets and a queue of two there leave %v, want %v", got, first)
	}
	d.reseed(1000000, 7, nil) // one of the two has left
	if got := passed(1000000); !reflect.DeepEqual(got, []int64{1600000}) {
		t.Errorf("after a reseed there leave %v, want one packet, with the one that waits", got)
	}
	d.advance(2 * nsPerSecond)
	d.reseed(2*nsPerSecond, 7, nil)
	if got := passed(2 * nsPerSecond); len(got) != 6 || got[3] != 2*nsPerSecond || got[4] != 2*nsPerSecond+800000 {
		t.Errorf("of a bucket that was filled again there leave %v", got)
	}
	cfg.BurstBytes = 0
	d.configure(3*nsPerSecond, cfg)
	if got := passed(3 * nsPerSecond); len(got) != 2 || got[0] != 3*nsPerSecond+800000 {
		t.Errorf("without a bucket there leave %v, want a packet at a time", got)
	}
}

func TestWaitingPacketsTakeTheBucketOfAConfiguration(t *testing.T) {
	cfg := withMode(dirConfig{BandwidthMbps: 10})
	d := newDirection(streamServerToClient, 0)
	d.configure(0, cfg)
	for i := 0; i < 5; i++ {
		d.offer(0, 1000)
		d.accept(0, 1000, int32(i))
	}
	cfg.BurstBytes = 2000
	d.configure(100, cfg)
	for i, want := range []int64{800000, 800000, 800000, 1600000, 2400000} {
		if got := d.queue.at(i).end; got != want {
			t.Errorf("packet %d ends at %d, want %d", i, got, want)
		}
	}
}
