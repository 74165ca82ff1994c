package main

import "testing"

func TestSerialisationTimeIsExact(t *testing.T) {
	s := serialiser{bps: bitsPerSecond(10)}
	if got := s.send(1000, 1514); got != 1000+1211200 {
		t.Errorf("1514 bytes at 10 Mbit/s from 1000 ns end at %d, want 1212200", got)
	}
	if got := s.send(1000, 60); got != 1212200+48000 {
		t.Errorf("the next 60 bytes end at %d, want 1260200", got)
	}
}

func TestRateDoesNotDriftByRounding(t *testing.T) {
	s := serialiser{bps: bitsPerSecond(3)} // 1 byte takes 2666.67 ns
	var end int64
	for i := 0; i < 3000000/8; i++ {
		end = s.send(0, 1)
	}
	if end != nsPerSecond {
		t.Errorf("375000 bytes at 3 Mbit/s take %d ns, want exactly one second", end)
	}
}

func TestIdleLineStoresNoCredit(t *testing.T) {
	s := serialiser{bps: bitsPerSecond(10)}
	s.send(0, 1000)
	const later = 5 * nsPerSecond
	if got := s.send(later, 1000); got != later+800000 {
		t.Errorf("after an idle time the packet ends at +%d ns, want +800000", got-later)
	}
	if got := s.send(later, 1000); got != later+1600000 {
		t.Errorf("the one behind ends at +%d ns, want +1600000", got-later)
	}
}

func TestUnlimitedLineTakesNoTime(t *testing.T) {
	s := serialiser{}
	if got := s.send(77, 1514); got != 77 {
		t.Errorf("got %d, want 77", got)
	}
}

func TestABucketPassesItsBytesAtOnceAndTheRestAtTheRate(t *testing.T) {
	s := serialiser{}
	s.setRate(bitsPerSecond(10), 10000) // 8 ms
	s.fill(0)
	for i := 0; i < 10; i++ {
		if got := s.send(5000, 1000); got != 5000 {
			t.Errorf("packet %d of a full bucket ends at %d, want 5000: when it came", i, got)
		}
	}
	for i, want := range []int64{805000, 1605000, 2405000} {
		if got := s.send(5000, 1000); got != want {
			t.Errorf("packet %d behind an empty bucket ends at %d, want %d", i, got, want)
		}
	}
}

func TestABucketFillsAtTheRateAndNotAboveItsDepth(t *testing.T) {
	passed := func(idle int64) (bytes int) {
		s := serialiser{}
		s.setRate(bitsPerSecond(10), 10000)
		s.fill(0)
		for s.send(0, 1000) == 0 {
		}
		empty := s.last
		for s.send(empty+idle, 1000) == empty+idle {
			bytes += 1000
		}
		return bytes
	}
	for idle, want := range map[int64]int{0: 0, 3200000: 4000, 8000000: 10000, 100 * nsPerSecond: 10000} {
		if got := passed(idle); got != want {
			t.Errorf("after %d ns without packets %d bytes pass at once, want %d", idle, got, want)
		}
	}
}

func TestOverLongTimesABucketHasTheRate(t *testing.T) {
	s := serialiser{}
	s.setRate(bitsPerSecond(3), 30000)
	s.fill(0)
	var end int64
	for i := 0; i < 30000+3000000/8; i++ {
		end = s.send(0, 1)
	}
	if end != nsPerSecond {
		t.Errorf("the bucket and 375000 bytes at 3 Mbit/s take %d ns, want exactly one second", end)
	}
}
