package handshake

import "sync/atomic"

// rejections counts the REJ messages of one connection. None means that the client's first CHLO was
// complete and accepted, so that it could send 0-RTT data.
type rejections struct{ n int32 }

func (r *rejections) add() { atomic.AddInt32(&r.n, 1) }

// Rejections returns how many CHLOs have been answered by REJ so far; safe from any goroutine.
func (h *cryptoSetupServer) Rejections() int { return int(atomic.LoadInt32(&h.rejections.n)) }
