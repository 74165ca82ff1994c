package main

import "testing"

func TestOnlyWakeUpsThatAreLongOverdueAreTimeBehind(t *testing.T) {
	c := counters{}
	c.woke(0)
	c.woke(behindNs)
	if c.BehindUs != 0 {
		t.Errorf("%d us behind after wake-ups in time", c.BehindUs)
	}
	c.woke(50e6)
	c.woke(6e6)
	if c.BehindUs != 56000 {
		t.Errorf("%d us behind, want 56000", c.BehindUs)
	}
}
