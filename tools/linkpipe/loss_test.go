package main

import (
	"math"
	"testing"
)

func lossOf(pct float64, seed, direction uint64) *lossModel {
	m := newLossModel(dirConfig{LossPct: pct, Seed: seed}, direction)
	return &m
}

func fates(m *lossModel, n int) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = m.lost(uint64(i + 1))
	}
	return out
}

func TestLossRateIsTheOneAskedFor(t *testing.T) {
	const n = 1000000
	for _, pct := range []float64{0.1, 0.5, 1, 10, 50} {
		lost := 0
		for _, l := range fates(lossOf(pct, 7, streamServerToClient), n) {
			if l {
				lost++
			}
		}
		p := pct / 100
		if got := float64(lost) / n; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/n) {
			t.Errorf("loss %v %%: got %v %%", pct, got*100)
		}
	}
}

func TestLossLimits(t *testing.T) {
	for i := uint64(1); i < 10000; i++ {
		if lossOf(0, i, 1).lost(i) {
			t.Fatal("a packet was lost at 0 %")
		}
		if !lossOf(100, i, 1).lost(i) {
			t.Fatal("a packet survived at 100 %")
		}
	}
}

func TestLossIsFixedBySeedAndDirection(t *testing.T) {
	same := func(a, b []bool) bool {
		for i := range a {
			if a[i] != b[i] {
				return false
			}
		}
		return true
	}
	base := fates(lossOf(1, 42, streamServerToClient), 20000)
	if !same(base, fates(lossOf(1, 42, streamServerToClient), 20000)) {
		t.Error("same seed, other fates")
	}
	if same(base, fates(lossOf(1, 43, streamServerToClient), 20000)) {
		t.Error("another seed, same fates")
	}
	if same(base, fates(lossOf(1, 42, streamClientToServer), 20000)) {
		t.Error("the other direction, same fates")
	}
}

// The fates are part of the record of a measurement: a change of the generator
// would silently break the comparison with older campaigns.
func TestLossFatesNeverChange(t *testing.T) {
	var got []uint64
	m := lossOf(1, 1, streamServerToClient)
	for n := uint64(1); len(got) < 5; n++ {
		if m.lost(n) {
			got = append(got, n)
		}
	}
	want := []uint64{16, 354, 372, 579, 647}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("seed 1 loses packets %v, must be %v", got, want)
		}
	}
}
