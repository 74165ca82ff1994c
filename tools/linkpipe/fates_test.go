package main

import (
	"fmt"
	"hash/fnv"
	"testing"
)

// fateDigest is of everything that happens to 20,000 packets in each direction: verdicts, and the order and times of leaving.
func fateDigest(cfg dirConfig) string {
	sum := fnv.New64a()
	for _, id := range []uint64{streamServerToClient, streamClientToServer} {
		b := &bench{d: newDirection(id, 0)}
		b.d.configure(0, withMode(cfg))
		for i := int64(0); i < 20000; i++ {
			if i == 12000 {
				b.d.reseed(i*ms/2, cfg.Seed+1, nil)
			}
			fmt.Fprintln(sum, b.arrive(i*ms/2, int(60+i*37%1400)))
		}
		b.run(1e12)
		fmt.Fprintln(sum, b.sent)
	}
	return fmt.Sprintf("%016x", sum.Sum64())
}

// What campaigns were measured on: links without the parameters that came after version 0.2.0. The digests are that version's.
func TestFatesOfEarlierLinksNeverChange(t *testing.T) {
	for _, c := range []struct {
		cfg  dirConfig
		want string
	}{
		{dirConfig{}, "10cd636aa3d35005"},
		{dirConfig{BandwidthMbps: 10, DelayMs: 18, LossPct: 0.5, QueueBytes: 90000, Seed: 1}, "e5324ac2913e7b85"},
		{dirConfig{BandwidthMbps: 10, DelayMs: 18, LossPct: 5, QueuePackets: 50, Seed: 1 << 63}, "e63b7a9a4120b7e1"},
		{dirConfig{LossPct: 50, Seed: 7, DelayMs: 76, Jitter: jitterConfig{Mode: jitterUniform, RangeMs: 50}}, "cb134e6686b51831"},
		{dirConfig{BandwidthMbps: 100, LossPct: 1, Seed: 8, DelayMs: 76,
			Jitter: jitterConfig{Mode: jitterRedraw, RangeMs: 50, IntervalMs: 100}}, "20cd607d3edcdaee"},
	} {
		if got := fateDigest(c.cfg); got != c.want {
			t.Errorf("%+v: %s, must be %s", c.cfg, got, c.want)
		}
	}
}
