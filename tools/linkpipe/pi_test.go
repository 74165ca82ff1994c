package main

import (
	"math"
	"strings"
	"testing"
)

func near(got, want, most float64) bool { return math.Abs(got-want) <= most }

func TestPIEsChangesAreScaledAsItsRFCHasIt(t *testing.T) {
	for _, one := range []struct{ prob, divisor float64 }{
		{0, 2048}, {0.0000009, 2048}, {0.000001, 512}, {0.000009, 512}, {0.00001, 128}, {0.00009, 128}, {0.0001, 32},
		{0.0009, 32}, {0.001, 8}, {0.009, 8}, {0.01, 2}, {0.09, 2}, {0.1, 1}, {0.5, 1}, {1, 1},
	} {
		if got := pieScale(one.prob); got != 1/one.divisor {
			t.Errorf("at a probability of %v the change is scaled by %v, want 1/%v", one.prob, got, one.divisor)
		}
	}
}

// By hand: alpha 1/8 Hz and beta 1.25 Hz of PIE, 0.15 Hz and 3 Hz of PI2, a target of 15 ms.
func TestAnUpdateChangesTheProbabilityByTheDelayAndByItsChange(t *testing.T) {
	for _, one := range []struct {
		kind             string
		prob             float64
		delay, old, want float64 // ms, and the probability
	}{
		{kindPie, 0.2, 25, 25, 0.2 + 0.125*0.010},
		{kindPie, 0.2, 40, 15, 0.2 + 0.125*0.025 + 1.25*0.025},
		{kindPie, 0.2, 15, 40, 0.2 - 1.25*0.025},
		{kindPie, 0.05, 25, 25, 0.05 + 0.125*0.010/2},
		{kindPie, 0.0005, 0, 5, 0.0005 - (0.125*0.015+1.25*0.005)/32},
		{kindPie, 0.05, 0, 0, (0.05 - 0.125*0.015/2) * 0.98},
		{kindPie, 0.00001, 0, 15, 0},
		{kindPie, 0.99, 215, 15, 1},
		{kindDualPI2, 0.2, 25, 25, 0.2 + 0.15*0.010},
		{kindDualPI2, 0.2, 40, 15, 0.2 + 0.15*0.025 + 3*0.025},
		{kindDualPI2, 0.01, 0, 0, 0.01 - 0.15*0.015},
		{kindDualPI2, 0.01, 0, 15, 0},
		{kindDualPI2, 0.9, 115, 15, 1},
	} {
		c := newPI(one.kind, 0)
		c.prob, c.delay = one.prob, millis(one.old)
		if one.kind == kindPie {
			c.updatePIE(millis(one.delay), 15*ms)
		} else {
			c.updatePI2(millis(one.delay), 15*ms)
		}
		if !near(c.prob, one.want, 1e-12) || c.delay != millis(one.delay) {
			t.Errorf("%+v: the probability is %v", one, c.prob)
		}
	}
}

func TestPIELeavesABurstAlone(t *testing.T) {
	b := newBench(managedBy(kindPie, 10))
	overload(b, 0, false, 3, 0, 149*ms) // three times the rate: 298 ms wait at its end
	if n := len(b.d.decided); n != 0 {
		t.Errorf("%d packets were dropped within the allowance of 150 ms", n)
	}
	overload(b, 0, false, 3, 149*ms, 600*ms)
	drops := b.decidedOn(droppedAQM)
	if len(drops) < 20 || drops[0].at < 150*ms {
		t.Errorf("%d packets were dropped, the first at %v", len(drops), drops)
	}
	b.run(60e9)
	b.d.managed.update(60e9)
	if c := b.d.managed.pi; c.prob != 0 || c.burst != pieBurstNs {
		t.Errorf("after a minute of rest the controller has %+v", c)
	}
}

func TestPIEIsWorkConserving(t *testing.T) {
	q := newManagedQueue(0, managedBy(kindPie, 10), streamServerToClient, nil)
	q.pi.burst, q.pi.prob, q.pi.delay, q.bytes = 0, 1, 20*ms, 2*maxFrameBytes+1
	if !q.early(1) {
		t.Error("with a probability of 1 a packet was let in")
	}
	for name, calm := range map[string]func(){
		"two packets wait":             func() { q.bytes = 2 * maxFrameBytes },
		"half of the target, and 19 %": func() { q.pi.delay, q.pi.prob = 15*ms/2-1, 0.19 },
		"a burst":                      func() { q.pi.burst = 1 },
	} {
		before := *q
		calm()
		for n := uint64(0); n < 1000; n++ {
			if q.early(n) {
				t.Errorf("%s: packet %d is dropped", name, n)
				break
			}
		}
		*q = before
	}
}

// Updates come at multiples of 15 ms, whenever they are computed, and before what arrives at their time.
func TestUpdatesKeepTheirTimes(t *testing.T) {
	c := newPI(kindPie, 0)
	for n := 1; n <= 10; n++ {
		if c.burst == 0 {
			t.Errorf("the allowance for a burst ended after %d updates, want 10", n-1)
		}
		c.updatePIE(8*ms, 15*ms)
	}
	if c.burst != 0 {
		t.Errorf("after 150 ms of congestion the allowance is %d", c.burst)
	}
	for _, kind := range []string{kindPie, kindDualPI2} {
		q := newManagedQueue(7, managedBy(kind, 10), streamServerToClient, nil)
		for _, at := range []int64{7, 15*ms + 7, 40 * ms, 3e9 + 1} {
			q.arrive(waiting{packet: packet{length: 1514}, arrived: at}, 1)
			if late := q.pi.next - at; late <= 0 || late > updateNs || (q.pi.next-7)%updateNs != 0 {
				t.Errorf("%s: after an arrival at %d the next update is at %d", kind, at, q.pi.next)
			}
			q.depart(at)
		}
	}
}

// What is drawn for a packet depends on seed, direction and number alone.
func TestPIEDrawsByNumber(t *testing.T) {
	fates := func(seed, direction uint64) (said []bool) {
		q := newManagedQueue(0, managedBy(kindPie, 10, func(c *dirConfig) { c.Seed = seed }), direction, nil)
		q.pi.burst, q.pi.prob, q.pi.delay, q.bytes = 0, 0.3, 20*ms, 1e5
		for n := uint64(10000); n > 0; n-- {
			said = append(said, q.early(n))
		}
		return said
	}
	one := fates(1, streamServerToClient)
	same, differ, dropped := fates(1, streamServerToClient), 0, 0
	other, back := fates(2, streamServerToClient), fates(1, streamClientToServer)
	for i := range one {
		if one[i] != same[i] {
			t.Fatal("the same seed draws another number")
		}
		if one[i] != other[i] && one[i] != back[i] {
			differ++
		}
		if one[i] {
			dropped++
		}
	}
	if differ < 1000 || !near(float64(dropped), 3000, 200) { // 4.4 standard deviations
		t.Errorf("%d of 10000 were dropped, %d otherwise in both others", dropped, differ)
	}
}

func TestPIEMarksBelowTenPercentAndDropsAbove(t *testing.T) {
	b := newBench(managedBy(kindPie, 10, marking))
	overload(b, 0, true, 1.25, 0, 20e9)
	marks, drops := b.decidedOn(markedCE), b.decidedOn(droppedAQM)
	if len(marks) < 5 || len(drops) < 100 || marks[0].at > drops[0].at {
		t.Fatalf("%d marked, %d dropped", len(marks), len(drops))
	}
	b.d.managed.pi.prob = 0.0999
	n := len(b.d.decided)
	for i := uint64(0); i < 1000; i++ {
		b.d.managed.arrive(waiting{packet: packet{length: 1514}, ecn: ect0, arrived: 20e9}, i)
	}
	for _, one := range b.d.decided[n:] {
		if one.fate != markedCE {
			t.Fatalf("below 10 %% a packet that may be marked has fate %d", one.fate)
		}
	}
	if len(b.d.decided) == n {
		t.Error("below 10 % nothing was marked")
	}
}

// A flow that does not respond at 1.25 times the rate: a fifth is dropped, and the delay is the target.
func TestTheDelayOfAnOverloadIsHeldAtTheTarget(t *testing.T) {
	for _, kind := range []string{kindPie, kindDualPI2} {
		for _, mbps := range []float64{5, 10, 100} {
			b := newBench(managedBy(kind, mbps))
			sent, gap := map[int32]int64{}, 1514*8e3/mbps/1.25
			low := map[int32]bool{}
			for n, at := 0, 0.0; at < 20e9; n, at = n+1, at+gap {
				b.of(1, false, int64(at), 1514)
				sent[b.id] = int64(at)
				if kind == kindDualPI2 && n%20 == 0 {
					b.with(2, ect1, int64(at), 60)
					low[b.id] = true
				}
			}
			dropped, marked, total, n, lows := 0, 0, 0.0, 0, 0
			for _, one := range b.d.decided {
				if one.at > 10e9 && one.fate == droppedAQM {
					dropped++
				}
				if one.at > 10e9 && one.fate == markedCE {
					marked++
				}
			}
			for _, one := range b.sent {
				if at, ok := sent[one.id]; ok && at > 10e9 && !low[one.id] {
					total, n = total+float64(one.at-at)/1e6-1514*8/mbps/1e3, n+1
				} else if low[one.id] && one.at > 10e9 {
					lows++
				}
			}
			if mean := total / float64(n); !near(mean, 15, 2) {
				t.Errorf("%s, %v Mbit/s: packets wait for %v ms", kind, mbps, mean)
			}
			if share := float64(dropped) / float64(dropped+n); !near(share, 0.2, 0.02) {
				t.Errorf("%s, %v Mbit/s: %v dropped", kind, mbps, share)
			}
			// p_C = p'^2 = 0.2 (and the little that the L queue takes), so that p_CL = 2 p' = 0.89.
			if share := float64(marked) / math.Max(1, float64(lows)); kind == kindDualPI2 && !near(share, 2*math.Sqrt(0.2), 0.03) {
				t.Errorf("%v Mbit/s: %v of the L queue's packets marked", mbps, share)
			}
		}
	}
}

// A sender over the queue: what it has in flight, and when it may respond again.
type sender struct {
	ecn       uint8
	window    float64
	flying    int
	responded int64
	got       int // delivered in the second half
	waits     []float64
	signalled int
}

// responding lets senders with windows run over a direction whose delay is all of their round trip.
// Reno's halve theirs at most once in a round trip; scalable ones (ECT(1)) take half a packet off for each mark.
func responding(cfg dirConfig, senders []*sender, rtt, until int64) {
	b := newBench(cfg)
	owner, sent, marked := map[int32]*sender{}, map[int32]int64{}, map[int32]bool{}
	own := int64(1514 * 8e3 / cfg.BandwidthMbps)
	respond := func(s *sender, at int64) {
		if at > until/2 {
			s.signalled++
		}
		if s.ecn == ect1 {
			s.window = math.Max(2, s.window-0.5)
		} else if at-s.responded > rtt {
			s.window, s.responded = math.Max(2, s.window/2), at
		}
	}
	push := func(s *sender, at int64) {
		for ; float64(s.flying) < s.window; s.flying++ {
			before := b.id
			b.with(0, s.ecn, at, 1514)
			if b.id > before {
				owner[b.id], sent[b.id] = s, at
			}
		}
	}
	for _, s := range senders {
		push(s, 0)
	}
	done, seen := 0, 0
	for {
		at, ok := b.d.nextEvent()
		if !ok || at > until {
			return
		}
		b.run(at)
		for ; seen < len(b.d.decided); seen++ {
			one := b.d.decided[seen]
			if s := owner[one.slot]; one.fate == markedCE {
				marked[one.slot] = true
			} else if s != nil {
				s.flying--
				respond(s, one.at+rtt)
			}
		}
		for ; done < len(b.sent); done++ {
			one := b.sent[done]
			s := owner[one.id]
			s.flying--
			if one.at > until/2 {
				s.got++
				s.waits = append(s.waits, float64(one.at-sent[one.id]-rtt-own)/1e6)
			}
			s.window += 1 / s.window
			if marked[one.id] {
				respond(s, one.at)
			}
			push(s, one.at)
		}
	}
}

func mean(values []float64) float64 {
	total := 0.0
	for _, one := range values {
		total += one
	}
	return total / float64(len(values))
}

// Reno's window is 1.2/sqrt(p), that is sqrt(3/2/p) (RFC 3649): what the senders share
// of the line gives their window, and that the probability.
func TestSendersThatRespondAreHeldAtTheTarget(t *testing.T) {
	const rtt = 100 * ms
	for _, kind := range []string{kindPie, kindDualPI2} {
		var senders []*sender
		for i := 0; i < 10; i++ {
			senders = append(senders, &sender{window: 2})
		}
		responding(managedBy(kind, 20, func(c *dirConfig) { c.DelayMs = 100 }), senders, rtt, 120e9)
		wait, signalled, got := 0.0, 0, 0
		for _, s := range senders {
			wait, signalled, got = wait+mean(s.waits)/10, signalled+s.signalled, got+s.got
		}
		window := 20e6 / 8 / 1514 * 0.115 / 10
		share, want := float64(signalled)/float64(got+signalled), 1.5/window/window
		t.Logf("%s: packets wait for %.1f ms, %.4f dropped, %.4f expected, %d delivered", kind, wait, share, want, got)
		if !near(wait, 15, 3) || share < 0.75*want || share > 1.33*want {
			t.Errorf("%s: packets wait for %v ms, %v dropped, %v expected", kind, wait, share, want)
		}
		if line := 60 * 20e6 / 8 / 1514; float64(got) < 0.93*line {
			t.Errorf("%s: %d delivered of %v", kind, got, line)
		}
	}
}

// Two queues that are coupled give senders of both kinds about the same (RFC 9332, 2.1), and those of the
// L queue next to no delay.
func TestDualPI2CouplesItsQueues(t *testing.T) {
	var senders []*sender
	for i := 0; i < 10; i++ {
		senders = append(senders, &sender{window: 2, ecn: []uint8{0, ect1}[i%2]})
	}
	responding(managedBy(kindDualPI2, 40, func(c *dirConfig) { c.DelayMs = 50 }), senders, 50*ms, 120e9)
	var got [2]int
	var waits [2][]float64
	for i, s := range senders {
		got[i%2] += s.got
		waits[i%2] = append(waits[i%2], s.waits...)
	}
	ratio := float64(got[0]) / float64(got[1])
	t.Logf("C queue: %.1f ms, L queue %.2f ms, rates as %.2f to 1", mean(waits[0]), mean(waits[1]), ratio)
	if !near(mean(waits[0]), 15, 3) || mean(waits[1]) > 1.5 || ratio < 0.6 || ratio > 1.6 {
		t.Errorf("C queue: %v ms, L queue %v ms, rates as %v to 1", mean(waits[0]), mean(waits[1]), ratio)
	}
}

func dual(p float64) (*managedQueue, *[]decision) {
	var decided []decision
	q := newManagedQueue(0, managedBy(kindDualPI2, 10), streamServerToClient,
		func(f fate, p packet, at int64) { decided = append(decided, decision{p, f, at}) })
	q.pi.prob, q.pi.next = p, never
	return q, &decided
}

// counted is how many of a thousand packets of a field were marked and dropped, which left at once.
func counted(p float64, ecn uint8) (marks, drops int) {
	q, decided := dual(p)
	for i := 0; i < 1000; i++ {
		q.arrive(waiting{packet: packet{length: 1514}, ecn: ecn}, uint64(i))
		q.depart(0)
	}
	for _, one := range *decided {
		if one.fate == markedCE {
			marks++
		} else {
			drops++
		}
	}
	return marks, drops
}

func TestDualPI2SignalsByItsProbabilities(t *testing.T) {
	for _, one := range []struct {
		p            float64
		ecn          uint8
		marks, drops float64
	}{
		{0.1, 0, 0, 10}, {0.1, ect0, 10, 0}, {0.1, ect1, 200, 0}, {0.1, 3, 200, 0},
		{0.4, 0, 0, 160}, {0.4, ect0, 160, 0}, {0.4, ect1, 800, 0},
		{0.6, 0, 0, 360}, {0.6, ect0, 0, 360}, {0.6, ect1, 640, 360}, // overload: 1/k = 0.5 and more
		{0, 0, 0, 0}, {0, ect1, 0, 0}, {1, 0, 0, 1000}, {1, ect1, 0, 1000},
	} {
		marks, drops := counted(one.p, one.ecn)
		if !near(float64(marks), one.marks, 1) || !near(float64(drops), one.drops, 1) {
			t.Errorf("%+v: %d marked, %d dropped", one, marks, drops)
		}
	}
}

func TestTheLQueueMarksFromItsThresholdOn(t *testing.T) {
	for _, one := range []struct {
		wait    int64
		packets int
		marks   int
	}{{ms - 1, 10, 0}, {ms, 10, 8 - 1}, {5 * ms, 10, 8 - 1}, {5 * ms, 2, 0}} { // the last two that leave are alone, and the first adds up to one
		q, decided := dual(0)
		for i := 0; i < one.packets; i++ {
			q.arrive(waiting{packet: packet{length: 1514}, ecn: ect1}, uint64(i))
		}
		for q.count > 0 {
			q.depart(one.wait)
		}
		if len(*decided) != one.marks {
			t.Errorf("%+v: %d marked", one, len(*decided))
		}
	}
}

func TestNeitherOfDualPI2sQueuesStarvesTheOther(t *testing.T) {
	q, _ := dual(0)
	bytes := [2]int{}
	for i := 0; i < 3000; i++ {
		for ecn := uint8(0); ecn < 2; ecn++ {
			q.arrive(waiting{packet: packet{length: int32(1514 - 1000*int32(ecn))}, ecn: ecn}, uint64(i))
		}
	}
	for i := 0; i < 2000; i++ {
		w, _ := q.depart(0)
		bytes[w.ecn] += int(w.length)
		if i == 0 && w.ecn != ect1 {
			t.Error("the first turn is not the L queue's")
		}
	}
	if share := float64(bytes[0]) / float64(bytes[0]+bytes[1]); !near(share, 0.1, 0.005) {
		t.Errorf("the C queue has %v of the bytes beside a full L queue, want a tenth", share)
	}
}

func TestDualPI2MayDropAllThatThereIs(t *testing.T) {
	b := newBench(managedBy(kindDualPI2, 10))
	b.d.managed.pi.prob, b.d.managed.pi.next = 1, never
	for i := int64(0); i < 5; i++ {
		b.of(0, false, i*ms/10, 1514)
	}
	b.run(1e9)
	if c := b.d.snapshot(1e9); c.QueuePackets != 0 || c.DroppedAQM+int64(len(b.sent)) != 5 || c.DroppedAQM < 3 {
		t.Errorf("%d left, counters %+v", len(b.sent), c)
	}
	b.of(0, false, 2e9, 1514) // a counter of 1 is not above it
	b.d.managed.pi.prob = 0
	b.of(0, false, 3e9, 1514)
	b.run(4e9)
	if last := b.sent[len(b.sent)-1]; last.at != 3e9+1211200 {
		t.Errorf("the last packet left at %d", last.at)
	}
}

func TestADisciplinesParametersThatContradictAreRefused(t *testing.T) {
	for text, words := range map[string]string{
		`{"kind":"red","target_ms":15}`:                             "known kinds: codel, fq_codel, pie, dualpi2",
		`{"kind":"pie"}`:                                            "queue_discipline.target_ms is 0: pie needs one",
		`{"kind":"pie","target_ms":15,"interval_ms":100}`:           "queue_discipline.interval_ms is 100, but it is CoDel's",
		`{"kind":"dualpi2","target_ms":15}`:                         "queue_discipline.ecn is false, but dualpi2's L queue",
		`{"kind":"dualpi2","target_ms":15,"ecn":true,"coupling":2}`: `unknown key "coupling" in server_to_client.queue_discipline`,
		`{"kind":"codel","target_ms":15}`:                           "queue_discipline.target_ms is 15 and interval_ms is 0",
		`{"kind":"pie","target_ms":-1}`:                             "queue_discipline.target_ms is -1",
		`{"kind":"pie","target_ms":15}`:                             "",
		`{"kind":"dualpi2","target_ms":15,"ecn":true}`:              "",
	} {
		_, err := parseDir([]byte(`{"bandwidth_mbps":10,"queue_discipline":`+text+`}`), "server_to_client")
		if words == "" && err != nil || words != "" && (err == nil || !strings.Contains(err.Error(), words)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
