package ackhandler

import (
	"time"

	"github.com/lucas-clemente/quic-go/internal/congestion"
	"github.com/lucas-clemente/quic-go/internal/protocol"
	"github.com/lucas-clemente/quic-go/internal/utils"
	"github.com/lucas-clemente/quic-go/sender"
)

// minLossDelay is the least time after which the last packet of a flight can count as lost.
const minLossDelay = 5 * time.Millisecond

// chromium is what a sender of Chromium 60 knows and the module's does not.
type chromium struct {
	name             string
	sender           congestion.ChromiumSender
	pacer            congestion.Pacer
	largestAckedSent time.Time // when the packet with the largest acknowledged number was sent
	lost             int
}

func newChromium(algorithm congestion.SendAlgorithmWithDebugInfo) chromium {
	algorithm.SetNumEmulatedConnections(sender.Current.EmulatedConnections)
	return chromium{sender: algorithm.(congestion.ChromiumSender), pacer: congestion.NewPacer()}
}

func initialWindow() protocol.ByteCount {
	return protocol.ByteCount(sender.Current.InitialWindow) * protocol.DefaultTCPMSS
}

func maxWindow() protocol.ByteCount {
	return protocol.ByteCount(sender.Current.MaxWindow) * protocol.DefaultTCPMSS
}

// Name tells a sender whose it is, for the log.
func Name(handler SentPacketHandler, connection protocol.ConnectionID) {
	if h, ok := handler.(*sentPacketHandler); ok {
		h.chromium.name = connection.String()
	}
}

// Outstanding says whether a packet is still unacknowledged or waits to be sent again.
func Outstanding(handler SentPacketHandler) bool {
	h, ok := handler.(*sentPacketHandler)
	return ok && (h.packetHistory.HasOutstandingPackets() || len(h.retransmissionQueue) > 0)
}

// lossDelay is how long after its sending the last packet of a flight counts as lost: 5/4 of the RTT (in ns).
func lossDelay(rtt float64) time.Duration {
	return utils.MaxDuration(minLossDelay, time.Duration(rtt*5/4))
}

// atTail says that everything sent up to the last packet has had its chance to be acknowledged, so that no
// later packet can come to raise the NACK count: only then does the timer decide.
func (h *sentPacketHandler) atTail() bool { return h.largestAcked == h.lastSentPacketNumber }

// isLost is Chromium 60's rule (GeneralLossAlgorithm, type kNack): three packet numbers higher acknowledged,
// or sent more than a smoothed RTT before the largest acknowledged packet, or the timer at the tail.
func (h *sentPacketHandler) isLost(packet *Packet, sinceSent, delay time.Duration) bool {
	if h.largestAcked >= packet.PacketNumber+protocol.PacketNumber(sender.Current.NackThreshold) {
		return true
	}
	if h.atTail() && sinceSent >= delay {
		return true
	}
	return packet.SendTime.Add(h.rttStats.SmoothedRTT()).Before(h.chromium.largestAckedSent)
}

func (h *sentPacketHandler) noteLost(packets []*Packet) {
	if len(packets) > 0 {
		h.chromium.lost += len(packets)
		h.chromium.pacer.OnLoss()
	}
}

// tailLossProbeDelay of Chromium 60: two RTTs, and for a single packet at least 1.5 RTTs and 100 ms.
func (h *sentPacketHandler) tailLossProbeDelay() time.Duration {
	rtt := h.rttStats.SmoothedOrInitialRTT()
	if h.bytesInFlight <= protocol.MaxPacketSizeIPv4 {
		return utils.MaxDuration(2*rtt, rtt*3/2+minRTOTimeout/2)
	}
	return utils.MaxDuration(2*rtt, minTPLTimeout)
}

func (h *sentPacketHandler) paced(packet *Packet, isRetransmittable bool) {
	if isRetransmittable {
		h.chromium.pacer.OnPacketSent(packet.SendTime, h.bytesInFlight-packet.Length, packet.Length, h.chromium.sender)
	}
}

func (h *sentPacketHandler) nextSend() time.Time {
	if h.numRTOs > 0 || h.allowTLP {
		return congestion.Now // probes are not paced
	}
	return h.chromium.pacer.NextSend(time.Now(), h.bytesInFlight)
}

func (h *sentPacketHandler) burst() int {
	return h.chromium.pacer.Burst(time.Now(), h.chromium.sender)
}

func (h *sentPacketHandler) logAck(now time.Time) {
	if sender.OnAck == nil {
		return
	}
	phase := sender.Avoidance
	switch {
	case h.chromium.sender.InRecovery():
		phase = sender.Recovery
	case h.chromium.sender.InSlowStart():
		phase = sender.SlowStart
	}
	sender.OnAck(sender.Ack{
		Time:               now,
		Connection:         h.chromium.name,
		CongestionWindow:   uint64(h.congestion.GetCongestionWindow()),
		SlowStartThreshold: uint64(h.chromium.sender.SlowstartThreshold()),
		BytesInFlight:      uint64(h.bytesInFlight),
		SmoothedRTT:        h.rttStats.SmoothedRTT(),
		PacketsLost:        h.chromium.lost,
		Phase:              phase,
	})
}
