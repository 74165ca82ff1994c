package congestion

import (
	"math"
	"testing"
	"time"

	"github.com/lucas-clemente/quic-go/internal/protocol"
)

const mss = protocol.DefaultTCPMSS

var start = time.Unix(1000, 0)

// newSender has an RTT of 36 ms and the window given, in packets.
func newSender(connections int, window, most protocol.ByteCount) *cubicSender {
	rtt := &RTTStats{}
	rtt.UpdateRTT(36*time.Millisecond, 0, start)
	sender := NewCubicSender(DefaultClock{}, rtt, false, window*mss, most*mss).(*cubicSender)
	sender.SetNumEmulatedConnections(connections)
	return sender
}

func TestOneLossCutsTheWindowByTheFactorOfN(t *testing.T) {
	for connections, factor := range map[int]float64{1: 0.70, 2: 0.85} {
		sender := newSender(connections, 100, 2000)
		sender.OnPacketSent(start, 0, 1, mss, true)
		sender.OnPacketLost(1, mss, 100*mss)
		if got := float64(sender.GetCongestionWindow()) / float64(100*mss); math.Abs(got-factor) > 0.001 {
			t.Errorf("N = %d: window times %.3f, want %.2f", connections, got, factor)
		}
	}
}

func TestTheWindowStopsAtItsMaximum(t *testing.T) {
	for _, most := range []protocol.ByteCount{107, 430, 2000} {
		sender := newSender(2, 32, most)
		for number := protocol.PacketNumber(1); number < 5000; number++ {
			window := sender.GetCongestionWindow()
			sender.OnPacketSent(start, window, number, mss, true)
			sender.OnPacketAcked(number, mss, window, start)
		}
		if got := sender.GetCongestionWindow(); got != most*mss {
			t.Errorf("window of %d bytes, want %d packets", got, most)
		}
	}
}

func TestInRecoveryProportionalRateReductionDecides(t *testing.T) {
	sender := newSender(2, 100, 2000)
	for number := protocol.PacketNumber(1); number <= 100; number++ {
		sender.OnPacketSent(start, protocol.ByteCount(number-1)*mss, number, mss, true)
	}
	sender.OnPacketAcked(2, mss, 100*mss, start)
	sender.OnPacketLost(1, mss, 100*mss)
	if !sender.CanSend(98 * mss) {
		t.Error("the first retransmission has to leave at once, though more than the window is in flight")
	}
	sender.OnPacketSent(start, 98*mss, 101, mss, true)
	if sender.CanSend(99 * mss) {
		t.Error("no second packet before anything more has been delivered")
	}
}

func TestPacingGainIsTwoInSlowStartAndLessAfterwards(t *testing.T) {
	sender := newSender(2, 100, 2000)
	perRTT := float64(100*mss) / 0.036
	if got := sender.PacingRate() / perRTT; math.Abs(got-2) > 1e-6 {
		t.Errorf("gain %.3f in slow start", got)
	}
	sender.ExitSlowstart()
	if got := sender.PacingRate() / perRTT; math.Abs(got-1.25) > 1e-6 {
		t.Errorf("gain %.3f after slow start", got)
	}
}

// pace sends as many packets as the pacer lets go in a second, with timers that are late by `late`.
func pace(sender *cubicSender, late time.Duration) (sent int, longest int) {
	const size = protocol.ByteCount(protocol.MaxPacketSizeIPv4)
	pacer, now := NewPacer(), start
	pacer.OnLoss() // no unpaced burst
	inFlight := size
	for end := now.Add(time.Second); now.Before(end); {
		if next := pacer.NextSend(now, inFlight); next.After(now) {
			now = next.Add(late)
			continue
		}
		burst := pacer.Burst(now, sender)
		if burst > longest {
			longest = burst
		}
		for i := 0; i < burst; i++ {
			pacer.OnPacketSent(now, inFlight, size, sender)
			sent++
		}
	}
	return sent, longest
}

func TestThePacerKeepsARateOf100MbitPerSecond(t *testing.T) {
	sender := newSender(2, 247, 2000) // 1.25 * 247 * 1460 bytes / 36 ms = 100.2 Mbit/s
	sender.ExitSlowstart()
	want := sender.PacingRate() / protocol.MaxPacketSizeIPv4
	for _, late := range []time.Duration{0, 200 * time.Microsecond, time.Millisecond} {
		sent, longest := pace(sender, late)
		if ratio := float64(sent) / want; math.Abs(ratio-1) > 0.02 {
			t.Errorf("timer late by %v: %d packets in a second, want %.0f", late, sent, want)
		}
		if allowed := int(2.5 * float64(late+alarmGranularity) / float64(time.Second) * want); longest > allowed+1 {
			t.Errorf("timer late by %v: %d packets at once, more than %d", late, longest, allowed)
		}
	}
}

func TestTenPacketsLeaveUnpacedAtTheStart(t *testing.T) {
	sender, pacer := newSender(2, 32, 2000), NewPacer()
	step := time.Duration(float64(mss) / sender.PacingRate() * float64(time.Second))
	least := unpacedBurst + int(alarmGranularity/step)
	sent := 0
	for ; sent < 100 && !pacer.NextSend(start, protocol.ByteCount(sent)*mss).After(start); sent++ {
		pacer.OnPacketSent(start, protocol.ByteCount(sent)*mss, mss, sender)
	}
	if sent < least || sent > least+1 {
		t.Errorf("%d packets at once, want %d and one millisecond's worth", sent, unpacedBurst)
	}
}
