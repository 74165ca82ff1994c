package congestion

import (
	"time"

	"github.com/lucas-clemente/quic-go/internal/protocol"
)

// ChromiumSender is what gquicd needs of the CUBIC sender beyond the module's own interface.
type ChromiumSender interface {
	SendAlgorithmWithDebugInfo
	CanSend(bytesInFlight protocol.ByteCount) bool
	PacingRate() float64
	InSlowStart() bool
}

var _ ChromiumSender = &cubicSender{}

const (
	pacingGainSlowStart = 2.0
	pacingGainAvoidance = 1.25
)

// CanSend says whether a packet may leave. In recovery Proportional Rate Reduction decides and not the window
// alone (Chromium 60, TcpCubicSenderBase::CanSend); the module asks PRR only whether to pace.
func (c *cubicSender) CanSend(bytesInFlight protocol.ByteCount) bool {
	if c.InRecovery() {
		return c.prr.CanSend(c.GetCongestionWindow(), bytesInFlight, c.GetSlowStartThreshold())
	}
	return c.GetCongestionWindow() > bytesInFlight
}

// PacingRate in bytes per second: twice the window per smoothed RTT in slow start, 1.25 times after it
// (Chromium 60, TcpCubicSenderBase::PacingRate); 100 ms stand for the RTT before the first sample.
func (c *cubicSender) PacingRate() float64 {
	gain := pacingGainAvoidance
	if c.InSlowStart() {
		gain = pacingGainSlowStart
	}
	return gain * float64(c.GetCongestionWindow()) / c.rttStats.SmoothedOrInitialRTT().Seconds()
}

const (
	// alarmGranularity: a packet due within this time leaves at once.
	alarmGranularity = time.Millisecond
	// unpacedBurst packets leave unpaced at the start and after quiescence, but never more than the window.
	unpacedBurst = 10
)

// Pacer spaces packets as Chromium 60 does (net/quic/core/congestion_control/pacing_sender.cc). Its timer may
// be late: packets that were delayed and are overdue leave together, until the schedule is met again.
type Pacer struct {
	burst       int
	idealNext   time.Time // when the next packet would leave at exactly the pacing rate
	delayed     bool      // the last packet had to wait, so a late timer may be made up for
	lastDelayed time.Time // when the last packet left that made up for lost time
}

// NewPacer returns the pacer of a new connection.
func NewPacer() Pacer { return Pacer{burst: unpacedBurst} }

// OnPacketSent notes a packet that has to be acknowledged; inFlight does not count it yet.
func (p *Pacer) OnPacketSent(now time.Time, inFlight, size protocol.ByteCount, sender ChromiumSender) {
	if inFlight == 0 && !sender.InRecovery() {
		p.burst = unpacedBurst
		if window := int(sender.GetCongestionWindow() / protocol.DefaultTCPMSS); window < p.burst {
			p.burst = window
		}
	}
	if p.burst > 0 {
		p.burst--
		p.delayed, p.lastDelayed, p.idealNext = false, time.Time{}, time.Time{}
		return
	}
	step := interval(size, sender)
	if !p.delayed {
		if p.idealNext.Before(now) {
			p.idealNext = now
		}
		p.idealNext = p.idealNext.Add(step)
		return
	}
	p.idealNext = p.idealNext.Add(step)
	applicationLimited := !p.lastDelayed.IsZero() && now.After(p.lastDelayed.Add(step))
	if overdue := !p.idealNext.After(now); overdue && !applicationLimited {
		p.lastDelayed = now
	} else {
		p.delayed, p.lastDelayed = false, time.Time{}
	}
}

// OnLoss takes the rest of an unpaced burst away.
func (p *Pacer) OnLoss() { p.burst = 0 }

// Now is a time in the past, and not the zero time, which the session takes for "no deadline".
var Now = time.Unix(1, 0)

// NextSend is the time from which the next packet may leave: `Now`, or one more than alarmGranularity away.
func (p *Pacer) NextSend(now time.Time, inFlight protocol.ByteCount) time.Time {
	if p.burst > 0 || inFlight == 0 || !p.idealNext.After(now.Add(alarmGranularity)) {
		return Now
	}
	p.delayed = true
	return p.idealNext
}

// Burst is how many full packets may leave now before NextSend would name a later time; at least one.
func (p *Pacer) Burst(now time.Time, sender ChromiumSender) int {
	if p.burst > 0 {
		return p.burst
	}
	ahead := now.Add(alarmGranularity)
	if p.idealNext.After(ahead) {
		return 1
	}
	from := p.idealNext
	if !p.delayed && from.Before(now) {
		from = now
	}
	return 1 + int(ahead.Sub(from)/interval(protocol.MaxPacketSizeIPv4, sender))
}

func interval(size protocol.ByteCount, sender ChromiumSender) time.Duration {
	return time.Duration(float64(size) / sender.PacingRate() * float64(time.Second))
}
