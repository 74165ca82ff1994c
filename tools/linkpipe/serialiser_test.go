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
