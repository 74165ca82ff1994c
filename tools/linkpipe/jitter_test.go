package main

import (
	"math"
	"testing"
)

const ms = int64(1e6)

func jitterOf(mode string, delay, span, interval float64, seed uint64) jitterSource {
	cfg := dirConfig{DelayMs: delay, Seed: seed, Jitter: jitterConfig{Mode: mode, RangeMs: span, IntervalMs: interval}}
	return newJitterSource(cfg, streamServerToClient, 0)
}

func TestUniformJitterStaysInItsRange(t *testing.T) {
	j := jitterOf(jitterUniform, 76, 50, 0, 3)
	low, high, sum := int64(math.MaxInt64), int64(0), 0.0
	const n = 100000
	for i := uint64(1); i <= n; i++ {
		d := j.delay(i, 0)
		if d < low {
			low = d
		}
		if d > high {
			high = d
		}
		sum += float64(d)
	}
	if low < 51*ms || high > 101*ms || low > 51*ms+ms/10 || high < 101*ms-ms/10 {
		t.Errorf("delays reach from %d to %d ns, want almost 51 to 101 ms", low, high)
	}
	if mean := sum / n / 1e6; math.Abs(mean-76) > 0.2 {
		t.Errorf("mean delay %v ms, want 76", mean)
	}
	if j.floor() > low {
		t.Errorf("floor %d is above a delay that was drawn (%d)", j.floor(), low)
	}
}

func TestUniformJitterDependsOnTheOrdinalOnly(t *testing.T) {
	a, b := jitterOf(jitterUniform, 20, 10, 0, 5), jitterOf(jitterUniform, 20, 10, 0, 5)
	for i := uint64(1); i < 1000; i++ {
		if a.delay(i, 0) != b.delay(i, int64(i)*ms*7) {
			t.Fatalf("packet %d: the time changed its delay", i)
		}
	}
}

func TestRedrawHoldsForItsInterval(t *testing.T) {
	j := jitterOf(jitterRedraw, 76, 50, 100, 9)
	rises, falls := 0, 0
	for n := int64(1); n < 1000; n++ {
		before, after := j.draw(uint64(n-1)), j.draw(uint64(n))
		start := n * 100 * ms
		first := [2]int64{j.delay(1, start), j.delay(2, start+50*ms-1)}
		second := [2]int64{j.delay(3, start+50*ms), j.delay(4, start+100*ms-1)}
		wantFirst := after
		if after < before {
			wantFirst = (before + after) / 2
			falls++
		} else {
			rises++
		}
		if first != [2]int64{wantFirst, wantFirst} || second != [2]int64{after, after} {
			t.Fatalf("interval %d, %d -> %d: got %v then %v", n, before, after, first, second)
		}
		if after < 51*ms || after > 101*ms {
			t.Fatalf("interval %d has delay %d", n, after)
		}
	}
	if rises < 400 || falls < 400 {
		t.Errorf("%d rises and %d falls in 999 intervals", rises, falls)
	}
}

func TestRedrawDiffersBetweenDirections(t *testing.T) {
	cfg := dirConfig{DelayMs: 50, Seed: 1, Jitter: jitterConfig{Mode: jitterRedraw, RangeMs: 50, IntervalMs: 100}}
	a := newJitterSource(cfg, streamServerToClient, 0)
	b := newJitterSource(cfg, streamClientToServer, 0)
	equal := 0
	for n := int64(0); n < 100; n++ {
		if a.delay(0, n*100*ms+60*ms) == b.delay(0, n*100*ms+60*ms) {
			equal++
		}
	}
	if equal > 0 {
		t.Errorf("%d of 100 delays are the same in both directions", equal)
	}
}
