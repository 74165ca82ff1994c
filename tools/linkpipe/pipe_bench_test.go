package main

import "testing"

// A link of 100 Mbit/s whose queue has a few packets: what a direction costs per packet.
func benchmarkDirection(b *testing.B, cfg dirConfig) {
	cfg.BandwidthMbps, cfg.DelayMs, cfg.Jitter.Mode = 100, 18, jitterNone
	d := newDirection(streamServerToClient, 0)
	d.configure(0, cfg)
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		now := int64(i) / 4 * 4 * 121120 // four at a time
		if d.offer(now, 1514) == accepted {
			d.accept(now, 1514, int32(i))
		}
		for _, ok := d.pop(now, now); ok; _, ok = d.pop(now, now) {
		}
		d.nextEvent()
	}
}

func BenchmarkPlainQueue(b *testing.B) { benchmarkDirection(b, dirConfig{QueueBytes: 900000}) }
