package main

// Stream constants keep the random numbers of all uses apart, although all
// come from one seed. The values are arbitrary odd numbers.
const (
	streamServerToClient = 0x9e6c63d0876a9a47
	streamClientToServer = 0xd1b54a32d192ed03
	streamLoss           = 0x8cb92ba72f3d8dd7
	streamJitter         = 0xaef17502108ef2d9
	streamGemodelState   = 0xe7037ed1a0b428db
	streamGemodelLoss    = 0xa0761d6478bd642f
	streamCorrupt        = 0x8ebc6af09c88c6e3
	streamCorruptBit     = 0x589965cc75374cc3
	streamDuplicate      = 0x1d8e4e27c47d124f
	streamFlows          = 0x6c62272e07bb0143
	streamEarly          = 0x2545f4914f6cdd1d
)

// splitmix64 is the finaliser of Steele, Lea and Flood's generator ("Fast
// splittable pseudorandom number generators", OOPSLA 2014): a bijection on 64 bits.
func splitmix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// randomStream is a counter-based generator: number n depends on the key and n
// alone, never on how many numbers were drawn before or when.
type randomStream struct{ key uint64 }

func newRandomStream(seed, direction, purpose uint64) randomStream {
	return randomStream{splitmix64(splitmix64(seed^direction) ^ purpose)}
}

// at returns the n-th number of the stream.
func (s randomStream) at(n uint64) uint64 { return splitmix64(s.key + splitmix64(n)) }

// unit returns the n-th number of the stream as a float in [0, 1).
func (s randomStream) unit(n uint64) float64 { return float64(s.at(n)>>11) / (1 << 53) }

// lossModel drops each packet with a fixed probability, or as a Gilbert-Elliott
// model has it.
type lossModel struct {
	chance
	bursts *gemodel // in place of the chance
}

func newLossModel(cfg dirConfig, direction uint64) lossModel {
	stream := newRandomStream(cfg.Seed, direction, streamLoss)
	m := lossModel{chance: newChance(cfg.LossPct, cfg.LossCorrelationPct, stream)}
	if cfg.Gemodel != nil {
		m.bursts = newGemodel(*cfg.Gemodel, cfg.Seed, direction)
	}
	return m
}

// lost says whether packet n is lost; n must not be less than the last time.
func (m *lossModel) lost(n uint64) bool {
	if m.bursts != nil {
		return m.bursts.lost(n)
	}
	return m.befalls(n)
}
