package main

import (
	"encoding/binary"
	"math"
	"math/rand"
	"reflect"
	"testing"
)

func managedBy(kind string, mbps float64, more ...func(*dirConfig)) dirConfig {
	cfg := dirConfig{BandwidthMbps: mbps, QueueDiscipline: &disciplineConfig{Kind: kind, TargetMs: 5, IntervalMs: 100}}
	if kind == kindPie || kind == kindDualPI2 {
		cfg.QueueDiscipline = &disciplineConfig{Kind: kind, TargetMs: 15, ECN: kind == kindDualPI2}
	}
	for _, one := range more {
		one(&cfg)
	}
	return cfg
}

func marking(cfg *dirConfig) { cfg.QueueDiscipline.ECN = true }

const ect1, ect0 = 1, 2

// of lets a packet of a flow arrive.
func (b *bench) of(key uint64, ect bool, t int64, length int) {
	ecn := uint8(0)
	if ect {
		ecn = ect0
	}
	b.with(key, ecn, t, length)
}

// with lets a packet of a flow arrive that has something in its field for ECN.
func (b *bench) with(key uint64, ecn uint8, t int64, length int) {
	b.run(t)
	if b.d.offer(t, length) == accepted {
		b.id++
		b.d.managed.looked = waiting{key: key, ecn: ecn}
		b.d.accept(t, length, b.id)
	}
}

// decidedOn is what was decided of one kind: which packets, and when.
func (b *bench) decidedOn(f fate) (found []out) {
	for _, one := range b.d.decided {
		if one.fate == f {
			found = append(found, out{one.slot, one.at})
		}
	}
	return found
}

type arriving struct {
	at     int64
	length int
}

// simulated is CoDel as RFC 8289 tells it, on a line of a rate, event by event: which
// packets (from 1) leave and are dropped, and when.
func simulated(arrivals []arriving, mbps float64, target, interval, mtu int64) (gone, dropped []out) {
	type held struct {
		arriving
		id int32
	}
	var queue []held
	var size, now, aboveUntil, next int64
	count, before, dropping := 0, 0, false
	law := func(t int64) int64 { return t + int64(float64(interval)/math.Sqrt(float64(count))) }
	pull := func() (one *held, may bool) {
		if len(queue) == 0 {
			aboveUntil = 0
			return nil, false
		}
		one, queue = &queue[0], queue[1:]
		size -= int64(one.length)
		if now-one.at < target || size <= mtu {
			aboveUntil = 0
		} else if aboveUntil == 0 {
			aboveUntil = now + interval
		} else {
			may = now >= aboveUntil
		}
		return one, may
	}
	work, rest := int64(0), int64(0)
	for i := 0; i < len(arrivals) || len(queue) > 0; {
		if len(queue) == 0 && arrivals[i].at > now {
			now, rest = arrivals[i].at, 0
		}
		for ; i < len(arrivals) && (arrivals[i].at < now || len(queue) == 0); i++ {
			queue = append(queue, held{arrivals[i], int32(i + 1)})
			size += int64(arrivals[i].length)
		}
		one, may := pull()
		if dropping {
			dropping = may
			for dropping && now >= next {
				dropped = append(dropped, out{one.id, now})
				count++
				if one, dropping = pull(); dropping {
					next = law(next)
				}
			}
		} else if may {
			dropped = append(dropped, out{one.id, now})
			one, _ = pull()
			dropping = true
			if count-before > 1 && now-next < 16*interval {
				count -= before
			} else {
				count = 1
			}
			next, before = law(now), count
		}
		work = int64(one.length)*8*nsPerSecond + rest
		now, rest = now+work/bitsPerSecond(mbps), work%bitsPerSecond(mbps)
		gone = append(gone, out{one.id, now})
	}
	return gone, dropped
}

func TestCodelDoesWhatItsRFCSays(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	dropped := 0
	for round := 0; round < 60; round++ {
		mbps := []float64{1, 7.3, 10, 100}[round%4]
		cfg := managedBy(kindCodel, mbps)
		b, at := newBench(cfg), int64(0)
		var arrivals []arriving
		for i := 0; i < 3000; i++ {
			if random.Intn(400) == 0 {
				at += int64(random.Intn(3e8)) // a pause
			}
			one := arriving{at, 60 + random.Intn(1455)}
			at += int64(float64(one.length*8) * 1e3 / mbps * (0.2 + 1.4*random.Float64()))
			arrivals = append(arrivals, one)
			b.of(0, false, one.at, one.length)
		}
		b.run(1e12)
		gone, lost := simulated(arrivals, mbps, 5*ms, 100*ms, 1514)
		if !reflect.DeepEqual(b.sent, gone) || !reflect.DeepEqual(b.decidedOn(droppedAQM), lost) {
			t.Fatalf("round %d: %d left and %d were dropped, by the RFC %d and %d", round, len(b.sent),
				len(b.decidedOn(droppedAQM)), len(gone), len(lost))
		}
		dropped += len(lost)
	}
	if dropped < 1000 {
		t.Errorf("only %d packets were dropped: the traffic tells nothing", dropped)
	}
}

// overload sends full frames at a multiple of the rate (10 Mbit/s) from a time to another.
func overload(b *bench, key uint64, ect bool, times float64, from, to int64) {
	for at := float64(from); at < float64(to); at += 1211200 / times {
		b.of(key, ect, int64(at), 1514)
	}
}

func TestCodelDropsFasterByItsControlLaw(t *testing.T) {
	b := newBench(managedBy(kindCodel, 10))
	overload(b, 0, false, 2, 0, 3e9)
	drops := b.decidedOn(droppedAQM)
	// The wait reaches 5 ms after about 10 ms of twice the rate.
	if first := drops[0].at; first < 105*ms || first > 120*ms {
		t.Errorf("the first drop came after %v ms, want an interval and the time to reach the target", float64(first)/1e6)
	}
	want := float64(drops[0].at)
	for n, drop := range drops {
		if late := float64(drop.at) - want; late < 0 || late > 1211201 {
			t.Fatalf("drop %d came %v ms after its time, want less than a packet's", n+1, late/1e6)
		}
		want += 100e6 / math.Sqrt(float64(n+1))
	}
	if n := len(drops); n < 200 || n > 240 { // the sum of 1/sqrt(k) up to n is 29 intervals: n = 29^2/4
		t.Errorf("%d drops in 3 s", n)
	}
}

func TestCodelLeavesShortWaitsAlone(t *testing.T) {
	b := newBench(managedBy(kindCodel, 10))
	for burst := int64(0); burst < 500; burst++ { // four packets: the last one waits for 3.6 ms
		for i := 0; i < 4; i++ {
			b.of(0, false, burst*5*ms, 1514)
		}
	}
	slow := newBench(managedBy(kindCodel, 0.5)) // 24.2 ms each
	for i := int64(0); i < 500; i++ {
		slow.of(0, false, i*24224000, 1514)
		if i == 0 {
			slow.of(0, false, 0, 1514) // and one that waits all the time
		}
	}
	b.run(1e11)
	slow.run(1e11)
	for _, one := range []*bench{b, slow} {
		if n := len(one.d.decided); n != 0 {
			t.Errorf("%d packets of %d were dropped below the target, or with no more than one waiting", n, one.id)
		}
	}
	if wait := slow.sent[400].at - 399*24224000; wait < 40*ms {
		t.Errorf("packets wait for %d ns only", wait)
	}
}

func TestCodelTakesUpTheRateThatItHadComeTo(t *testing.T) {
	again := func(pause int64) (int64, int64) {
		b := newBench(managedBy(kindCodel, 10))
		overload(b, 0, false, 1.3, 0, 2e9)
		b.run(20e9)
		first := b.d.managed.flows[0].count
		b.d.decided = nil
		overload(b, 0, false, 1.3, 20e9+pause, 22e9+pause)
		drops := b.decidedOn(droppedAQM)
		return first, drops[1].at - drops[0].at
	}
	if _, gap := again(0); gap < 99*ms {
		t.Errorf("18 s later dropping began again with drops %d ns apart, want an interval", gap)
	}
	b := newBench(managedBy(kindCodel, 10))
	overload(b, 0, false, 2, 0, 2e9)
	at := int64(2e9)
	for b.d.managed.flows[0].dropping { // lets the queue drain
		at += ms
		b.run(at)
	}
	count := b.d.managed.flows[0].count
	b.run(at + 500*ms)
	b.d.decided = nil
	overload(b, 0, false, 2, at+500*ms, at+1500*ms)
	drops := b.decidedOn(droppedAQM)
	want := 100e6 / math.Sqrt(float64(count-1)) // its first cycle began with a count of 1
	if gap := float64(drops[1].at - drops[0].at); math.Abs(gap-want) > 1.3e6 || want > 20e6 {
		t.Errorf("after %d drops a new cycle began with drops %v ms apart, want %v", count, gap/1e6, want/1e6)
	}
}

func TestNothingDependsOnWhenADirectionIsAdvanced(t *testing.T) {
	for _, kind := range []string{kindCodel, kindFqCodel, kindPie, kindDualPI2} {
		cfgs := []dirConfig{managedBy(kind, 10), managedBy(kind, 10, func(c *dirConfig) { c.BurstBytes = 9000 }),
			managedBy(kind, 12, func(c *dirConfig) { c.Trace = traced(1, 1, 5, 9, 10, 40) })}
		for i, cfg := range cfgs {
			cfg.DelayMs = 3
			lazy, eager := newBench(cfg), newBench(cfg)
			random, at := rand.New(rand.NewSource(int64(i))), int64(0)
			for n := 0; n < 20000; n++ {
				at += int64(random.Intn(700000))
				key, length := uint64(random.Intn(5)), 60+random.Intn(1455)
				lazy.d.offer(at, length) // advances as late as can be
				lazy.d.managed.looked = waiting{key: key, ecn: uint8(key % 3)}
				lazy.d.accept(at, length, int32(n))
				eager.id = int32(n - 1)
				eager.with(key, uint8(key%3), at, length)
				for x := at; x < at+100000; x += 9000 {
					eager.d.advance(at)
				}
			}
			for p, ok := lazy.d.pop(1e12, 1e12); ok; p, ok = lazy.d.pop(1e12, 1e12) {
				lazy.sent = append(lazy.sent, out{p.slot, p.due})
			}
			eager.run(1e12)
			if !reflect.DeepEqual(lazy.sent, eager.sent) || !reflect.DeepEqual(lazy.d.decided, eager.d.decided) {
				t.Errorf("%s, configuration %d: %d and %d left, %d and %d were decided on", kind, i, len(lazy.sent),
					len(eager.sent), len(lazy.d.decided), len(eager.d.decided))
			}
			if len(lazy.d.decided) == 0 {
				t.Errorf("%s, configuration %d: nothing was dropped", kind, i)
			}
		}
	}
}

func TestAManagedQueueOnATraceKeepsToItsOpportunities(t *testing.T) {
	plain := newBench(dirConfig{Trace: traced(5, 10, 20, 21, 50), BandwidthMbps: 1})
	managed := newBench(managedBy(kindCodel, 1, func(c *dirConfig) { c.Trace = traced(5, 10, 20, 21, 50) }))
	random := rand.New(rand.NewSource(3))
	for at := int64(0); at < 1e10; at += int64(random.Intn(8e7)) {
		length := 60 + random.Intn(1455)
		plain.arrive(at, length)
		managed.of(0, false, at, length)
	}
	plain.run(1e12)
	managed.run(1e12)
	if len(managed.d.decided) != 0 || !reflect.DeepEqual(plain.sent, managed.sent) {
		t.Errorf("%d left, of a plain queue %d; %d decisions", len(managed.sent), len(plain.sent), len(managed.d.decided))
	}
}

// waits is how long the packets of a stream (given by first and last number) took, ns.
func (b *bench) waits(sentAt map[int32]int64) (longest int64, n int) {
	for _, one := range b.sent {
		if at, ok := sentAt[one.id]; ok {
			n++
			if wait := one.at - at; wait > longest {
				longest = wait
			}
		}
	}
	return longest, n
}

func TestASparseFlowIsNotQueuedBesideABulkFlow(t *testing.T) {
	for kind, most := range map[string]int64{kindFqCodel: 1211200 + 80000, kindCodel: 1e12} {
		b := newBench(managedBy(kind, 10))
		sparse := map[int32]int64{}
		for at, n := int64(0), 0; at < 5e9; at, n = at+605600, n+1 {
			b.of(1, false, at, 1514)
			if n%33 == 7 {
				b.of(2, false, at+100, 100)
				sparse[b.id] = at + 100
			}
		}
		b.run(1e12)
		longest, n := b.waits(sparse)
		if longest > most || kind == kindCodel && longest < 100*ms {
			t.Errorf("%s: a packet of the sparse flow took %v ms", kind, float64(longest)/1e6)
		}
		if kind == kindFqCodel && n != len(sparse) {
			t.Errorf("of %d packets of the sparse flow %d arrived", len(sparse), n)
		}
	}
}

// Each of two flows sends while the other's packet is on the line: without a pass through the
// old flows one of them would always be new, and go before the third (RFC 8290, 4.1.1).
func TestFlowsThatComeBackDoNotStarveAnOldOne(t *testing.T) {
	b := newBench(managedBy(kindFqCodel, 10))
	bulk := map[int32]int64{}
	for n := 0; n < 50; n++ {
		b.of(1, false, 0, 1514)
		bulk[b.id] = 0
	}
	for n := int64(0); n < 60; n++ { // 700 bytes take 560 us, less than a quantum
		b.of(2+uint64(n%2), false, 1000000+n*560000, 700)
	}
	b.run(60 * 560000)
	if _, n := b.waits(bulk); n < 6 {
		t.Errorf("%d packets of the flow that was there first left, want a third of the line", n)
	}
}

func TestFlowsShareALineByBytes(t *testing.T) {
	b := newBench(managedBy(kindFqCodel, 10))
	sizes, owner := map[uint64]int{1: 1514, 2: 300}, map[int32]uint64{}
	next := map[uint64]float64{}
	for at := int64(0); at < 5e9; at += 100000 {
		for key := uint64(1); key <= 2; key++ {
			for ; next[key] <= float64(at); next[key] += float64(sizes[key]*8) * 100 { // each at the line's rate
				b.of(key, false, at, sizes[key])
				owner[b.id] = key
			}
		}
	}
	bytes := map[uint64]int{}
	for _, one := range b.sent {
		if one.at > 1e9 {
			bytes[owner[one.id]] += sizes[owner[one.id]]
		}
	}
	if share := float64(bytes[1]) / float64(bytes[1]+bytes[2]); math.Abs(share-0.5) > 0.002 {
		t.Errorf("the flow of large packets has %v of the bytes, want half: %v", share, bytes)
	}
}

func TestAtTheLimitTheFattestFlowLoses(t *testing.T) {
	limit := func(c *dirConfig) { c.QueuePackets = 100 }
	b := newBench(managedBy(kindFqCodel, 10, limit))
	for i := 0; i < 10; i++ {
		b.of(2, false, 0, 1514)
	}
	for i := 0; i < 91; i++ { // one is on the line: 100 wait
		b.of(1, false, 0, 1514)
	}
	if n := len(b.d.decided); n != 0 {
		t.Fatalf("%d packets were dropped below the limit", n)
	}
	b.of(2, false, 0, 60)
	var dropped []int32
	for _, one := range b.decidedOn(droppedLimit) {
		dropped = append(dropped, one.id)
	}
	if len(dropped) != 46 || dropped[0] != 11 || dropped[45] != 56 {
		t.Errorf("dropped %v, want half of the 91 packets that the fat flow has, from its head", dropped)
	}
	if f := b.d.managed.flows[flowOf(b, 1)]; f.count != 46 {
		t.Errorf("CoDel counts %d drops of the fat flow", f.count)
	}
	if c := b.d.snapshot(0); c.DroppedQueue != 46 || c.QueuePackets != 55 || c.DroppedAQM != 0 {
		t.Errorf("counters %+v", c)
	}
	alone := newBench(managedBy(kindCodel, 10, limit))
	for i := 0; i < 103; i++ {
		alone.of(0, false, 0, 1514)
	}
	if c := alone.d.snapshot(0); c.DroppedQueue != 2 || c.QueuePackets != 100 || len(alone.d.decided) != 0 {
		t.Errorf("CoDel alone drops the tail at its limit: counters %+v", c)
	}
}

func TestFlowsAreSpreadBySeed(t *testing.T) {
	place := func(seed uint64) (at []int) {
		b := newBench(managedBy(kindFqCodel, 1, func(c *dirConfig) { c.Seed = seed }))
		for key := uint64(0); key < 50; key++ {
			b.of(key, false, 0, 1514)
		}
		for i := range b.d.managed.flows {
			if b.d.managed.flows[i].head != none {
				at = append(at, i)
			}
		}
		return at
	}
	one, same, other := place(1), place(1), place(2)
	if len(one) < 45 || !reflect.DeepEqual(one, same) || reflect.DeepEqual(one, other) {
		t.Errorf("flows are at %v, at %v with the same seed and at %v with another", one, same, other)
	}
}

func TestMarksStandForDropsWhereTheyAreUnderstood(t *testing.T) {
	drops, marks := newBench(managedBy(kindCodel, 10, marking)), newBench(managedBy(kindCodel, 10, marking))
	overload(drops, 0, false, 2, 0, 2e9)
	overload(marks, 0, true, 2, 0, 2e9)
	if c := drops.d.count; c.DroppedAQM < 50 || c.MarkedCE != 0 || c.ECNCapable != 0 {
		t.Errorf("of packets that are not capable: %+v", c)
	}
	if c := marks.d.count; c.MarkedCE < 50 || c.DroppedAQM != 0 || c.ECNCapable != c.PacketsIn {
		t.Errorf("of packets that are: %+v", c)
	}
	marks.run(1e12)
	if len(marks.sent) != int(marks.id) {
		t.Errorf("of %d packets %d arrived", marks.id, len(marks.sent))
	}
	off := newBench(managedBy(kindCodel, 10))
	overload(off, 0, true, 2, 0, 2e9)
	if c := off.d.count; c.DroppedAQM < 50 || c.MarkedCE != 0 {
		t.Errorf("where marking is off: %+v", c)
	}
}

// ipv4 is a frame of TCP or UDP with a header whose checksum is right.
func ipv4(tos byte, protocol byte, source, target uint16) []byte {
	f := make([]byte, 100)
	f[12] = 0x08
	ip := f[ethernetBytes:]
	copy(ip, []byte{0x45, tos, 0, 86, 0x12, 0x34, 0x40, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2})
	binary.BigEndian.PutUint16(ip[10:], ^sumOf(ip[:20]))
	binary.BigEndian.PutUint16(ip[20:], source)
	binary.BigEndian.PutUint16(ip[22:], target)
	return f
}

// sumOf is the ones' complement sum of 16-bit words (RFC 1071).
func sumOf(data []byte) uint16 {
	sum := uint32(0)
	for i := 0; i < len(data); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(data[i:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return uint16(sum)
}

func TestAMarkLeavesTheChecksumRight(t *testing.T) {
	for tos := 0; tos < 256; tos++ {
		for port := uint16(0); port < 300; port += 7 {
			f := ipv4(byte(tos), 6, port, 443)
			before := append([]byte(nil), f...)
			if ecnField(f) != uint8(tos&3) {
				t.Fatalf("TOS %02x: ECN %d", tos, ecnField(f))
			}
			markCE(f)
			if f[15] != byte(tos)|3 || sumOf(f[14:34]) != 0xffff {
				t.Fatalf("TOS %02x became %02x, the header's sum is %04x", tos, f[15], sumOf(f[14:34]))
			}
			f[15], f[24], f[25] = before[15], before[24], before[25]
			if !reflect.DeepEqual(f, before) {
				t.Fatal("a mark changed more than itself and the checksum")
			}
		}
	}
	broken := ipv4(2, 6, 1, 2)
	broken[24] ^= 0x10
	markCE(broken)
	if sumOf(broken[14:34]) == 0xffff {
		t.Error("a mark repaired a checksum that was wrong")
	}
	six := make([]byte, 60)
	copy(six[12:], []byte{0x86, 0xdd, 0x6a, 0x1b, 0xcd, 0xef})
	if ecnField(six) != ect1 {
		t.Error("ECT(1) of IPv6 is not seen")
	}
	if markCE(six); !reflect.DeepEqual(six[14:18], []byte{0x6a, 0x3b, 0xcd, 0xef}) {
		t.Errorf("a marked header of IPv6 begins with %x", six[14:18])
	}
}

func TestAFlowIsAddressesProtocolAndPorts(t *testing.T) {
	same := flowKey(ipv4(0, 6, 1000, 443))
	if flowKey(ipv4(2, 6, 1000, 443)) != same {
		t.Error("another TOS made another flow")
	}
	other := ipv4(0, 6, 1000, 443)
	other[14+19]++
	fragment := ipv4(0, 6, 1000, 443)
	fragment[14+7] = 5
	for name, frame := range map[string][]byte{"port": ipv4(0, 6, 1001, 443), "the other port": ipv4(0, 6, 1000, 444),
		"protocol": ipv4(0, 17, 1000, 443), "address": other, "a fragment": fragment, "nothing": make([]byte, 3)} {
		if flowKey(frame) == same {
			t.Errorf("%s does not tell flows apart", name)
		}
	}
	next := ipv4(0, 6, 7, 7)
	next[14+7] = 9
	first := ipv4(0, 6, 1000, 443)
	first[14+6] |= 0x20 // more fragments: it has ports, which those behind it have not
	if flowKey(next) != flowKey(fragment) || flowKey(first) != flowKey(fragment) {
		t.Error("fragments of a packet are not of one flow")
	}
}

func TestWhatWaitsStaysInsideWhenTheDisciplineChanges(t *testing.T) {
	fq := managedBy(kindFqCodel, 10, func(c *dirConfig) { c.DelayMs = 2 })
	plain := withMode(dirConfig{BandwidthMbps: 10, DelayMs: 2, QueuePackets: 1})
	b := newBench(plain)
	b.d.configure(0, withMode(dirConfig{BandwidthMbps: 10, DelayMs: 2}))
	for i := 0; i < 5; i++ {
		b.arrive(0, 1000) // 0.8 ms each
	}
	b.d.configure(ms, withMode(fq)) // the second is on the line
	for key := uint64(0); key < 3; key++ {
		b.of(key, false, ms, 1000)
		b.of(key, false, ms, 1000)
	}
	b.d.configure(5*ms, withMode(managedBy(kindCodel, 5, func(c *dirConfig) { c.DelayMs = 2 })))
	b.d.configure(9*ms, plain)
	b.run(1e12)
	if len(b.sent) != 11 {
		t.Fatalf("%d of 11 left: %v", len(b.sent), b.sent)
	}
	// 5 that were booked; then the first of each new flow, which began by 5 ms: at 4, 4.8 and, at 0.8 ms
	// each as it was on the line, 5.6; what is left is CoDel's, by arrival, at 1.6 ms each; and then at 0.8.
	want := []out{{1, 2800000}, {2, 3600000}, {3, 4400000}, {4, 5200000}, {5, 6000000}, {6, 6800000}}
	if !reflect.DeepEqual(b.sent[:6], want) {
		t.Errorf("got %v, want to begin %v", b.sent, want)
	}
	if c := b.d.snapshot(1e12); c.QueuePackets+c.DelayPackets != 0 || len(b.d.decided) != 0 {
		t.Errorf("counters %+v", c)
	}
	b.d.configure(2e12, withMode(fq))
	overload(b, 1, false, 2, 2e12, 2e12+1e9)
	if !b.d.managed.flows[flowOf(b, 1)].dropping {
		t.Fatal("nothing is dropped at twice the rate")
	}
	held := b.d.managed.count
	b.d.reseed(2e12+1e9, 5, nil)
	f := &b.d.managed.flows[flowOf(b, 1)]
	if b.d.managed.count != held || f.dropping || f.count != 0 || b.d.ordinal != 0 {
		t.Errorf("after a reseed %d of %d wait, and CoDel has %+v", b.d.managed.count, held, f.codel)
	}
	b.run(4e12)
	if c := b.d.snapshot(4e12); c.QueuePackets != 0 {
		t.Errorf("%d packets never left", c.QueuePackets)
	}
}

func flowOf(b *bench, key uint64) int {
	return int(splitmix64(key^b.d.managed.perturbation) % uint64(len(b.d.managed.flows)))
}

func TestAReseedSendsOffWhatAManagedQueueHoldsForATrace(t *testing.T) {
	b := newBench(managedBy(kindFqCodel, 1, func(c *dirConfig) { c.Trace = traced(1000, 9000) }))
	for key := uint64(0); key < 4; key++ {
		b.of(key, false, 0, 1514)
	}
	b.d.reseed(5*ms, 1, nil)
	b.run(6 * ms)
	if len(b.sent) != 4 || !b.inOrder() || b.sent[3].at != 5*ms {
		t.Errorf("left %v", b.sent)
	}
}

func TestEveryPacketOfAManagedQueueIsAccountedFor(t *testing.T) {
	b := newBench(managedBy(kindFqCodel, 8, func(c *dirConfig) {
		c.DelayMs, c.LossPct, c.QueuePackets, c.Seed = 30, 2, 300, 4
		c.Jitter = jitterConfig{Mode: jitterUniform, RangeMs: 20}
	}))
	for i := int64(0); i < 20000; i++ {
		b.of(uint64(i*i%7), i%2 == 0, i*ms/2, int(60+i*37%1400))
	}
	c := b.d.snapshot(1e10)
	inside := c.QueuePackets + c.DelayPackets
	if c.PacketsIn != 20000 || c.PacketsIn != c.DroppedLoss+c.DroppedQueue+c.DroppedAQM+inside+int64(len(b.sent)) {
		t.Errorf("%d left, counters %+v", len(b.sent), c)
	}
	if c.DroppedLoss == 0 || c.DroppedQueue == 0 || c.DroppedAQM == 0 {
		t.Errorf("nothing was dropped: %+v", c)
	}
	if n := int64(len(b.d.managed.places)); n > 301 {
		t.Errorf("%d places for at most 301 packets", n)
	}
}

func BenchmarkCodel(b *testing.B)   { benchmarkDirection(b, managedBy(kindCodel, 100)) }
func BenchmarkFqCodel(b *testing.B) { benchmarkDirection(b, managedBy(kindFqCodel, 100)) }
func BenchmarkPie(b *testing.B)     { benchmarkDirection(b, managedBy(kindPie, 100)) }
func BenchmarkDualPI2(b *testing.B) { benchmarkDirection(b, managedBy(kindDualPI2, 100)) }
