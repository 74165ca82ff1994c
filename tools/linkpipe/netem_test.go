package main

import (
	"math"
	"sort"
	"testing"
)

// crowd is the distribution of a correlatedStream's numbers, as shares of all 64-bit numbers, by steps.
type crowd struct {
	rho float64
	cdf []float64 // at i/(len-1)
}

// crowdOf iterates the distribution that x = rho*x + (1-rho)*fresh does not change.
func crowdOf(rho float64) crowd {
	const steps = 4000
	c := crowd{rho, make([]float64, steps+1)}
	for i := range c.cdf {
		c.cdf[i] = float64(i) / steps
	}
	for round := 0; rho > 0 && round < 40; round++ {
		area := make([]float64, steps+1) // under the distribution function
		for i := 1; i <= steps; i++ {
			area[i] = area[i-1] + (c.cdf[i]+c.cdf[i-1])/2/steps
		}
		under := func(x float64) float64 {
			if x <= 0 {
				return 0
			}
			if x >= 1 {
				return area[steps] + x - 1
			}
			i := int(x * steps)
			return area[i] + (x*steps-float64(i))*(area[i+1]-area[i])
		}
		for i := range c.cdf {
			x := float64(i) / steps
			c.cdf[i] = rho / (1 - rho) * (under(x/rho) - under((x-1+rho)/rho))
		}
	}
	return c
}

func (c crowd) below(x float64) float64 {
	at := x * float64(len(c.cdf)-1)
	i := int(at)
	return c.cdf[i] + (at-float64(i))*(c.cdf[i+1]-c.cdf[i])
}

func quantile(x float64) float64 { return math.Sqrt2 * math.Erfinv(2*x-1) }

// normal returns the standard deviation of the normal quantiles of its numbers, and their correlation with the next.
func (c crowd) normal() (sd, correlation float64) {
	const fresh = 200
	var square, product float64
	steps := len(c.cdf) - 1
	for i := 0; i < steps; i++ {
		x, weight := (float64(i)+0.5)/float64(steps), c.cdf[i+1]-c.cdf[i]
		z, next := quantile(x), 0.0
		for k := 0; k < fresh; k++ {
			next += quantile(c.rho*x+(1-c.rho)*(float64(k)+0.5)/fresh) / fresh
		}
		square += weight * z * z
		product += weight * z * next
	}
	return math.Sqrt(square), product / square
}

// within says whether a share of n is p, by five standard deviations of a binomial; spread widens them for what is correlated.
func within(got, p float64, n int, spread float64) bool {
	return math.Abs(got-p) <= 5*spread*math.Sqrt(p*(1-p)/float64(n))+1e-9
}

func TestCorrelatedSharesAreThoseOfNetemsGenerator(t *testing.T) {
	const n = 2000000
	for _, c := range []struct{ pct, correlation float64 }{
		{1, 0}, {10, 0}, {5, 25}, {10, 25}, {30, 25}, {50, 25}, {20, 75}, {100, 25},
	} {
		befallen, want := 0, crowdOf(c.correlation/100).below(math.Min(c.pct/100, 0.999999))
		what := newChance(c.pct, c.correlation, newRandomStream(5, streamServerToClient, streamCorrupt))
		for i := uint64(1); i <= n; i++ {
			if what.befalls(i) {
				befallen++
			}
		}
		got := float64(befallen) / n
		t.Logf("%v %% with %v %% correlation: %.4f %% of packets, %.4f %% in theory", c.pct, c.correlation, got*100, want*100)
		rho := c.correlation / 100
		if math.Abs(got-want) > 1e-4*want && !within(got, want, n, math.Sqrt((1+rho)/(1-rho))) {
			t.Errorf("%v %% with %v %% correlation: %v of the packets, want %v", c.pct, c.correlation, got, want)
		}
	}
}

func TestCorrelatedNumbersDependOnTheSeedAndTheirNumberOnly(t *testing.T) {
	make := func(seed uint64) correlatedStream {
		return newCorrelatedStream(25, newRandomStream(seed, streamServerToClient, streamLoss))
	}
	one, other, apart := make(1), make(1), make(2)
	equal, x, sum, square, product := 0, 0.0, 0.0, 0.0, 0.0
	const n = 1000000
	for i := uint64(1); i <= n; i++ {
		before := x
		number := one.at(i)
		if i%7 == 0 && (other.at(i) != number || other.at(i) != number) {
			t.Fatalf("number %d is another after numbers that nobody asked for", i)
		}
		if apart.at(i) == number {
			equal++
		}
		x = float64(number)/math.Exp2(64) - 0.5
		sum, square, product = sum+x, square+x*x, product+x*before
	}
	if equal > 0 {
		t.Errorf("%d of %d numbers are the same with another seed", equal, n)
	}
	sd, want := math.Sqrt(square/n), math.Sqrt(0.75/1.25/12)
	t.Logf("mean %.5f, sd %.5f (%.5f in theory), correlation %.4f", sum/n+0.5, sd, want, product/square)
	if math.Abs(sum/n) > 0.002 || math.Abs(sd/want-1) > 0.005 || math.Abs(product/square-0.25) > 0.005 {
		t.Errorf("mean %v, sd %v (want %v), correlation %v", sum/n+0.5, sd, want, product/square)
	}
}

// runs counts how often losses came so many at a time.
func runs(lost func(uint64) bool, n uint64) (share float64, lengths map[int]int) {
	lengths = map[int]int{}
	length, all := 0, 0
	for i := uint64(1); i <= n; i++ {
		switch {
		case lost(i):
			length++
			all++
		case length > 0:
			lengths[length]++
			length = 0
		}
	}
	return float64(all) / float64(n), lengths
}

func TestGemodelLosesTheShareOfItsStates(t *testing.T) {
	const n = 4000000
	for _, c := range []gemodelConfig{
		{1, 50, 100, 0}, {0.1, 10, 100, 0}, {5, 100, 100, 0}, {2, 20, 60, 0}, {1, 5, 50, 0.5}, {100, 100, 100, 0},
	} {
		g := newGemodel(c, 3, streamServerToClient)
		got, lengths := runs(g.lost, n)
		bad, stays := c.PPct/(c.PPct+c.RPct), 1-(c.PPct+c.RPct)/100
		want := bad*c.OneMinusHPct/100 + (1-bad)*c.OneMinusKPct/100
		spread := math.Sqrt((1 + math.Max(stays, 0)) / math.Max(1-stays, 0.01)) // of a chain with this memory
		bursts, sum := 0, 0
		for length, times := range lengths {
			bursts, sum = bursts+times, sum+length*times
		}
		t.Logf("%v: %.4f %% lost, %.4f %% in theory; %.3f at a time", c, got*100, want*100, float64(sum)/float64(bursts))
		if !within(got, want, n, spread) {
			t.Errorf("%v: %v lost, want %v", c, got, want)
		}
	}
}

// With 1-h = 100 and 1-k = 0 a burst of losses is a stay in the bad state: geometric, of 1/r packets in the mean.
func TestGemodelsBurstsAreGeometric(t *testing.T) {
	for _, r := range []float64{20, 50, 90} {
		g := newGemodel(gemodelConfig{1, r, 100, 0}, 9, streamClientToServer)
		_, lengths := runs(g.lost, 4000000)
		bursts := 0
		for _, times := range lengths {
			bursts += times
		}
		chi, cells, p, left := 0.0, 0, r/100, float64(bursts)
		for length := 1; left*p >= 20; length++ {
			want := left * p
			chi += math.Pow(float64(lengths[length])-want, 2) / want
			cells, left = cells+1, left*(1-p)
		}
		seen := 0 // longer ones, together
		for length, times := range lengths {
			if length > cells {
				seen += times
			}
		}
		chi += math.Pow(float64(seen)-left, 2) / left
		free := float64(cells)
		t.Logf("r = %v %%: %d bursts, chi-square %.1f with %d degrees of freedom", r, bursts, chi, cells)
		if chi > free+4*math.Sqrt(2*free)+8 { // beyond 1 in 10,000
			t.Errorf("r = %v %%: chi-square %v with %v degrees of freedom", r, chi, free)
		}
	}
}

// The first packet finds the good state; with p = 100 the second finds the bad one.
func TestGemodelJudgesAPacketByTheStateThatItFinds(t *testing.T) {
	g := newGemodel(gemodelConfig{100, 100, 100, 0}, 1, streamServerToClient)
	for i := uint64(1); i < 100; i++ {
		if g.lost(i) != (i%2 == 0) {
			t.Fatalf("packet %d", i)
		}
	}
}

func normalDelays(n int, sd, correlation float64, seed uint64) []float64 {
	cfg := dirConfig{DelayMs: 100, Seed: seed, Jitter: jitterConfig{Mode: jitterNormal, SdMs: sd, CorrelationPct: correlation}}
	j := newJitterSource(cfg, streamServerToClient, 0)
	delays := make([]float64, n)
	for i := range delays {
		delays[i] = float64(j.delay(uint64(i+1), int64(i))) / 1e6
	}
	return delays
}

func moments(delays []float64) (mean, sd, correlation float64) {
	for _, d := range delays {
		mean += d / float64(len(delays))
	}
	var square, product float64
	for i, d := range delays {
		square += (d - mean) * (d - mean)
		if i > 0 {
			product += (d - mean) * (delays[i-1] - mean)
		}
	}
	return mean, math.Sqrt(square / float64(len(delays))), product / square
}

func TestNormalJitterHasItsMeanDeviationAndCorrelation(t *testing.T) {
	const n = 500000
	for _, correlation := range []float64{0, 25, 60} {
		shrink, wanted := crowdOf(correlation / 100).normal()
		mean, sd, lag := moments(normalDelays(n, 10, correlation, 4))
		t.Logf("10 ms with %v %%: mean %.4f, sd %.4f (%.4f in theory), correlation %.4f (%.4f)",
			correlation, mean, sd, 10*shrink, lag, wanted)
		if math.Abs(mean-100) > 0.1 || math.Abs(sd/(10*shrink)-1) > 0.006 || math.Abs(lag-wanted) > 0.006 {
			t.Errorf("%v %%: mean %v, sd %v (want %v), correlation %v (want %v)", correlation, mean, sd, 10*shrink, lag, wanted)
		}
	}
}

// netem takes a delay from its table at the number modulo the table's size: at its low bits, which know nothing of the number
// before. `delay D J 25% distribution normal` is jitter without correlation.
func TestNetemsTableForgetsTheCorrelation(t *testing.T) {
	const n, size = 500000, 4096
	numbers := newCorrelatedStream(25, newRandomStream(4, streamServerToClient, streamJitter))
	delays := make([]float64, n)
	for i := range delays {
		index := numbers.at(uint64(i+1)) >> 32 % size
		delays[i] = quantile((float64(index) + 0.5) / size)
	}
	_, sd, lag := moments(delays)
	t.Logf("by netem's table with 25 %%: sd %.4f, correlation %.4f", sd, lag)
	if math.Abs(sd-1) > 0.006 || math.Abs(lag) > 0.006 {
		t.Errorf("sd %v, correlation %v", sd, lag)
	}
}

func TestNormalJitterIsNormal(t *testing.T) {
	const n = 200000
	for seed := uint64(1); seed <= 3; seed++ {
		delays := normalDelays(n, 10, 0, seed)
		sort.Float64s(delays)
		worst := 0.0
		for i, d := range delays {
			f := math.Erfc(-(d-100)/10/math.Sqrt2) / 2
			worst = math.Max(worst, math.Max(math.Abs(f-float64(i)/n), math.Abs(f-float64(i+1)/n)))
		}
		t.Logf("seed %d: Kolmogorov-Smirnov %.3f, from %.1f to %.1f ms", seed, worst*math.Sqrt(n), delays[0], delays[n-1])
		if worst*math.Sqrt(n) > 1.95 { // 1 in 1,000
			t.Errorf("seed %d: Kolmogorov-Smirnov %v", seed, worst*math.Sqrt(n))
		}
		if delays[0] > 100-40 || delays[n-1] < 100+40 {
			t.Errorf("seed %d: from %v to %v ms: no tails", seed, delays[0], delays[n-1])
		}
	}
}

func TestNormalJitterIsNeverNegativeAndFixedBySeed(t *testing.T) {
	one, same, other := normalDelays(20000, 200, 25, 1), normalDelays(20000, 200, 25, 1), normalDelays(20000, 200, 25, 2)
	zeros, equal := 0, 0
	for i := range one {
		if one[i] != same[i] {
			t.Fatalf("packet %d: same seed, another delay", i+1)
		}
		switch {
		case one[i] < 0:
			t.Fatalf("packet %d: delay %v", i+1, one[i])
		case one[i] == 0:
			zeros++
		case one[i] == other[i]:
			equal++
		}
	}
	if zeros == 0 || equal > 0 {
		t.Errorf("%d delays of 0, %d the same with another seed", zeros, equal)
	}
}

func TestNormalJitterReordersByTimeToSend(t *testing.T) {
	b := newBench(dirConfig{DelayMs: 50, Seed: 2, Jitter: jitterConfig{Mode: jitterNormal, SdMs: 5}})
	for i := int64(0); i < 1000; i++ {
		b.arrive(i*ms, 700)
	}
	b.run(1e10)
	if len(b.sent) != 1000 || b.inOrder() {
		t.Errorf("%d packets of 1000 left, in order: %v", len(b.sent), b.inOrder())
	}
	if !sort.SliceIsSorted(b.sent, func(i, j int) bool { return b.sent[i].at < b.sent[j].at }) {
		t.Error("packets did not leave by their times")
	}
}

func TestCorruptedBitsAreEverywhereBehindTheEthernetHeader(t *testing.T) {
	const length, n = 100, 860000
	c := newCorruption(dirConfig{CorruptPct: 50, Seed: 6}, streamServerToClient)
	hits, all := make([]int, length*8), 0
	for i := uint64(1); i <= n; i++ {
		if bit := c.bit(i, length); bit > 0 {
			hits[bit]++
			all++
		}
	}
	if got := float64(all) / n; !within(got, 0.5, n, 1) {
		t.Errorf("%v of the packets corrupted, want 0.5", got)
	}
	chi, want := 0.0, float64(all)/(length-ethernetBytes)/8
	for bit, times := range hits {
		if bit < ethernetBytes*8 {
			if times > 0 {
				t.Fatalf("bit %d, of the Ethernet header, was flipped", bit)
			}
			continue
		}
		chi += math.Pow(float64(times)-want, 2) / want
	}
	free := float64((length-ethernetBytes)*8 - 1)
	t.Logf("%.3f %% corrupted, chi-square of the bits %.1f with %v degrees of freedom", float64(all)/n*100, chi, free)
	if math.Abs(chi-free) > 4*math.Sqrt(2*free) {
		t.Errorf("chi-square %v with %v degrees of freedom", chi, free)
	}
	frame, always := make([]byte, length), newCorruption(dirConfig{CorruptPct: 100}, streamServerToClient)
	flip(frame, 14*8+3)
	if frame[14] != 8 || always.bit(1, ethernetBytes) != 0 {
		t.Error("another bit was flipped, or one of a frame that is a header only")
	}
}

// offered drives a direction as a lane does, copies included.
func (b *bench) offered(t int64, length int) (packets int) {
	b.run(t)
	enter := func(v verdict) {
		if v == accepted {
			b.id++
			packets++
			b.d.accept(t, length, b.id)
		}
	}
	enter(b.d.offer(t, length))
	if b.d.copied {
		enter(b.d.offerCopy(length))
	}
	return packets
}

func TestDuplicatesAreTheShareAndTakeTheirRoom(t *testing.T) {
	const n = 200000
	b := newBench(dirConfig{DuplicatePct: 10, Seed: 3})
	for i := 0; i < n; i++ {
		b.offered(0, 100)
	}
	c := b.d.snapshot(1)
	got := float64(c.Duplicated) / n
	t.Logf("%.3f %% duplicated", got*100)
	if !within(got, 0.1, n, 1) || c.PacketsIn != n || b.id != int32(n+c.Duplicated) {
		t.Errorf("%v duplicated, %d packets inside, counters %+v", got, b.id, c)
	}
	b = newBench(dirConfig{BandwidthMbps: 10, DuplicatePct: 100, QueuePackets: 3})
	if first, second := b.offered(0, 1250), b.offered(0, 1250); first != 2 || second != 1 {
		t.Errorf("%d and %d packets entered a queue of 3", first, second)
	}
	b.run(1e9)
	if len(b.sent) != 3 || b.sent[2].at != 3*ms {
		t.Errorf("%v: a copy is to use the line like any packet", b.sent)
	}
	if c := b.d.snapshot(1e9); c.Duplicated != 2 || c.DroppedQueue != 1 || c.PacketsIn != 2 {
		t.Errorf("counters %+v", c)
	}
}

// netem counts one more and one less: what is to be lost and to be doubled passes once.
func TestOfTwoCopiesOneIsLost(t *testing.T) {
	const n = 100000
	b := newBench(dirConfig{DuplicatePct: 100, LossPct: 20, Seed: 3})
	once, twice := 0, 0
	for i := 0; i < n; i++ {
		switch b.offered(0, 100) {
		case 1:
			once++
		case 2:
			twice++
		default:
			t.Fatal("a packet was lost although there were two of it")
		}
	}
	// The original's loss takes the copy's place; where it is not lost, the copy may be.
	if got := float64(once) / n; !within(got, 0.2+0.8*0.2, n, 1) || once+twice != n {
		t.Errorf("%v passed once", got)
	}
}

func TestEverythingAtOnceIsAccountedForAndFixedBySeed(t *testing.T) {
	cfg := dirConfig{BandwidthMbps: 8, DelayMs: 30, QueueBytes: 20000, Seed: 4, CorruptPct: 20, CorruptCorrelationPct: 25,
		DuplicatePct: 20, DuplicateCorrelationPct: 25, Gemodel: &gemodelConfig{2, 50, 100, 0},
		Jitter: jitterConfig{Mode: jitterNormal, SdMs: 10, CorrelationPct: 25}}
	fates := func(seed uint64, stretch int64) (c counters, passed []int) {
		cfg.Seed = seed
		cfg.QueueBytes = 20000 * stretch // what the queue drops is a matter of times
		b := newBench(cfg)
		for i := int64(0); i < 20000; i++ {
			passed = append(passed, b.offered(i*ms*stretch, int(60+i*37%1400)))
		}
		c = b.d.snapshot(1e15)
		inside := c.QueuePackets + c.DelayPackets
		if c.PacketsIn != 20000 || c.PacketsIn+c.Duplicated != c.DroppedLoss+c.DroppedQueue+inside+int64(len(b.sent)) {
			t.Errorf("%d left, counters %+v", len(b.sent), c)
		}
		if c.DroppedLoss == 0 || c.Corrupted == 0 || c.Duplicated == 0 {
			t.Errorf("nothing happened: %+v", c)
		}
		return c, passed
	}
	one, fast := fates(4, 3)
	same, slow := fates(4, 5)
	other, _ := fates(5, 3)
	if one.DroppedQueue > 0 || same.DroppedQueue > 0 {
		t.Fatalf("the queue is too short for this test: %+v", one)
	}
	for i := range fast {
		if fast[i] != slow[i] {
			t.Fatalf("packet %d has another fate at another time", i+1)
		}
	}
	if one.Corrupted != same.Corrupted || one.Duplicated != same.Duplicated || one.DroppedLoss != same.DroppedLoss {
		t.Errorf("same seed, other fates: %+v, %+v", one, same)
	}
	if one.Corrupted == other.Corrupted && one.Duplicated == other.Duplicated && one.DroppedLoss == other.DroppedLoss {
		t.Errorf("another seed, same fates: %+v", one)
	}
}

// Losses are those of the same seed without corruption, jitter or duplicates that are made elsewhere.
func TestEachPurposeHasItsOwnNumbers(t *testing.T) {
	plain := newBench(dirConfig{LossPct: 5, Seed: 11})
	noisy := newBench(dirConfig{LossPct: 5, Seed: 11, CorruptPct: 30, CorruptCorrelationPct: 25, DelayMs: 10,
		Jitter: jitterConfig{Mode: jitterNormal, SdMs: 5}})
	for i := int64(0); i < 20000; i++ {
		if plain.arrive(i*ms, 100) != noisy.arrive(i*ms, 100) {
			t.Fatalf("packet %d has another fate", i+1)
		}
	}
}

func TestAQueueOfAHundredThousandPackets(t *testing.T) {
	const limit = 100000
	b := newBench(dirConfig{BandwidthMbps: 10, QueuePackets: limit})
	for i := 0; i < limit; i++ {
		if b.arrive(0, 1514) != accepted {
			t.Fatalf("packet %d was dropped", i+1)
		}
	}
	if b.arrive(0, 60) != droppedQueue {
		t.Error("a packet beyond the limit was admitted")
	}
	b.run(1e12)
	if len(b.sent) != limit || !b.inOrder() {
		t.Errorf("%d packets left, in order: %v", len(b.sent), b.inOrder())
	}
	if need := b.d.reserveBytes(1536); need >= arenaMaxBytes {
		t.Errorf("%d bytes for it, there are %d", need, arenaMaxBytes)
	}
}
