package main

// corruption flips one bit of some packets, anywhere behind the Ethernet header,
// so that the frame still arrives and its receiver's checksums find it.
type corruption struct {
	chance
	places randomStream
}

func newCorruption(cfg dirConfig, direction uint64) corruption {
	return corruption{
		newChance(cfg.CorruptPct, cfg.CorruptCorrelationPct, newRandomStream(cfg.Seed, direction, streamCorrupt)),
		newRandomStream(cfg.Seed, direction, streamCorruptBit),
	}
}

// bit returns which bit of a frame of length bytes is flipped, counted from its
// first byte's lowest; 0 leaves it as it is.
func (c *corruption) bit(n uint64, length int) int {
	if !c.befalls(n) || length <= ethernetBytes {
		return 0
	}
	return ethernetBytes*8 + int(c.places.at(n)%uint64((length-ethernetBytes)*8))
}

func flip(frame []byte, bit int) { frame[bit/8] ^= 1 << (bit % 8) }
