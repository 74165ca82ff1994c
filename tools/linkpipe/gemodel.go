package main

// gemodelConfig is the Gilbert-Elliott model with the parameters of netem's
// `loss gemodel p r 1-h 1-k`, in percent.
type gemodelConfig struct {
	PPct         float64 `json:"p_pct"`           // from the good state to the bad one
	RPct         float64 `json:"r_pct"`           // from the bad state to the good one
	OneMinusHPct float64 `json:"one_minus_h_pct"` // loss in the bad state
	OneMinusKPct float64 `json:"one_minus_k_pct"` // loss in the good state
}

// gemodel is a Markov chain of two states that begins in the good one. A packet
// is lost with the probability of the state that it finds; whether the state
// changes before the next packet is drawn apart from that. Both follow netem.
// So a share p/(p+r) of the packets finds the bad state, for 1/r packets at a time.
type gemodel struct {
	leaves, loses   [2]share // by state
	changing, fates randomStream
	bad             int // 0 good, 1 bad
	n               uint64
	last            bool // fate of packet n
}

func newGemodel(cfg gemodelConfig, seed, direction uint64) *gemodel {
	return &gemodel{
		leaves:   [2]share{newShare(cfg.PPct), newShare(cfg.RPct)},
		loses:    [2]share{newShare(cfg.OneMinusKPct), newShare(cfg.OneMinusHPct)},
		changing: newRandomStream(seed, direction, streamGemodelState),
		fates:    newRandomStream(seed, direction, streamGemodelLoss),
	}
}

// lost says whether packet n is lost; n must not be less than the last time.
func (g *gemodel) lost(n uint64) bool {
	for g.n < n {
		g.n++
		g.last = g.loses[g.bad].holds(g.fates.at(g.n))
		if g.leaves[g.bad].holds(g.changing.at(g.n)) {
			g.bad = 1 - g.bad
		}
	}
	return g.last
}
