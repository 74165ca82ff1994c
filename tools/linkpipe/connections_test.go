package main

import (
	"encoding/binary"
	"testing"
)

// frame makes an Ethernet frame with an IPv4 packet of one protocol.
func frame(protocol byte, segment []byte) []byte {
	made := make([]byte, 34, 34+len(segment))
	made[12], made[14], made[23] = 0x08, 0x45, protocol
	return append(made, segment...)
}

func tcpFrame(source, target uint16, sequence uint32, flags byte) []byte {
	segment := make([]byte, 20)
	binary.BigEndian.PutUint16(segment, source)
	binary.BigEndian.PutUint16(segment[2:], target)
	binary.BigEndian.PutUint32(segment[4:], sequence)
	segment[13] = flags
	return frame(6, segment)
}

func udpFrame(source, target uint16, payload []byte) []byte {
	segment := make([]byte, 8)
	binary.BigEndian.PutUint16(segment, source)
	binary.BigEndian.PutUint16(segment[2:], target)
	return frame(17, append(segment, payload...))
}

func longHeader(first byte, version uint32, target, source string) []byte {
	payload := binary.BigEndian.AppendUint32([]byte{first}, version)
	payload = append(append(payload, byte(len(target))), target...)
	payload = append(append(payload, byte(len(source))), source...)
	return append(payload, make([]byte, 20)...)
}

func googleQuic(flags byte, id, version string) []byte {
	return append(append(append([]byte{flags}, id...), version...), make([]byte, 20)...)
}

const fromClient, fromServer = true, false

// see takes in a frame that leaves the link as it comes.
func (t *connectionTracker) see(frame []byte, fromClient, dropped bool) {
	t.observe(frame, fromClient, dropped, 0, 0)
}

func expect(t *testing.T, tracker *connectionTracker, protocol string, opened, lost int64) {
	t.Helper()
	if got := tracker.report()[protocol]["443"]; got.Opened != opened || got.HandshakeLost != lost {
		t.Errorf("%s: %+v, want %d opened, %d packets of handshakes lost", protocol, got, opened, lost)
	}
}

func TestTCPConnectionsAreCountedByTheirSyn(t *testing.T) {
	c := newConnectionTracker(0)
	c.see(tcpFrame(40000, 443, 7, flagSyn), fromClient, true)
	c.see(tcpFrame(40000, 443, 7, flagSyn), fromClient, false) // again
	c.see(tcpFrame(443, 40000, 99, flagSyn|flagAck), fromServer, false)
	c.see(tcpFrame(40000, 443, 8, flagAck), fromClient, true)
	expect(t, c, "tcp", 1, 1)
	c.see(tcpFrame(40001, 443, 7, flagSyn), fromClient, false)
	c.see(tcpFrame(443, 40001, 99, flagSyn|flagAck), fromServer, true)
	expect(t, c, "tcp", 2, 2)
	c.see(tcpFrame(40000, 443, 1234, flagSyn), fromClient, false) // a port that is used again
	c.see(tcpFrame(40000, 80, 1234, flagSyn), fromClient, false)
	expect(t, c, "tcp", 3, 2)
	if other := c.report()["tcp"]["80"]; other.Opened != 1 {
		t.Errorf("port 80: %+v", other)
	}
}

func TestQuicConnectionsAreCountedByTheirInitial(t *testing.T) {
	c := newConnectionTracker(0)
	c.see(udpFrame(50000, 443, longHeader(0xc3, 1, "chosen01", "")), fromClient, true)
	c.see(udpFrame(50000, 443, longHeader(0xc0, 1, "chosen01", "")), fromClient, false) // again
	c.see(udpFrame(50000, 443, longHeader(0xd0, 1, "chosen01", "")), fromClient, false) // 0-RTT
	c.see(udpFrame(443, 50000, longHeader(0xc0, 1, "", "servers")), fromServer, false)
	c.see(udpFrame(50000, 443, longHeader(0xc1, 1, "servers", "")), fromClient, false) // acknowledges
	c.see(udpFrame(50000, 443, append([]byte{0x49}, "servers and the rest"...)), fromClient, true)
	expect(t, c, "quic", 1, 1)
	c.see(udpFrame(50000, 443, longHeader(0xc3, 1, "chosen02", "")), fromClient, false) // the same socket
	c.see(udpFrame(50001, 443, longHeader(0xc3, 1, "chosen01", "")), fromClient, false) // another one
	c.see(udpFrame(50002, 443, longHeader(0xd3, quicV2, "chosen03", "")), fromClient, false)
	c.see(udpFrame(50002, 443, longHeader(0xc3, quicV2, "chosen04", "")), fromClient, false) // version 2: a Retry
	expect(t, c, "quic", 4, 1)
}

func TestARetryIsNoSecondConnection(t *testing.T) {
	c := newConnectionTracker(0)
	c.see(udpFrame(50000, 443, longHeader(0xc3, 1, "chosen01", "mine")), fromClient, false)
	c.see(udpFrame(443, 50000, longHeader(0xf0, 1, "mine", "anew")), fromServer, false)
	c.see(udpFrame(50000, 443, longHeader(0xc3, 1, "anew", "mine")), fromClient, false)
	expect(t, c, "quic", 1, 0)
}

func TestAnInitialToAnIdThatOnlyTheTwoKnowIsNoSecondConnection(t *testing.T) {
	c := newConnectionTracker(0)
	c.see(udpFrame(50000, 443, longHeader(0xc3, 1, "chosen01", "mine")), fromClient, false)
	c.see(udpFrame(443, 50000, longHeader(0xc0, 1, "mine", "servers")), fromServer, false)
	c.see(udpFrame(50000, 443, longHeader(0xc3, 1, "further", "mine")), fromClient, false)
	expect(t, c, "quic", 1, 0)
	c.see(udpFrame(50001, 443, longHeader(0xc3, 1, "chosen02", "mine")), fromClient, false) // another socket
	c.see(udpFrame(50000, 443, longHeader(0xc3, 1, "chosen03", "other")), fromClient, false)
	expect(t, c, "quic", 3, 0)
}

func TestGoogleQuicConnectionsAreCountedByTheirVersionFlag(t *testing.T) {
	c := newConnectionTracker(0)
	c.see(udpFrame(50000, 443, googleQuic(0x0d, "chosen01", "Q037")), fromClient, true)
	c.see(udpFrame(50000, 443, googleQuic(0x09, "chosen01", "Q037")), fromClient, false)
	c.see(udpFrame(50000, 443, googleQuic(0x0c, "chosen01", "Q037")), fromClient, false) // no version any more
	c.see(udpFrame(443, 50000, googleQuic(0x09, "chosen01", "Q037")), fromServer, false)
	expect(t, c, "quic", 1, 1)
	c.see(udpFrame(50001, 443, googleQuic(0x0d, "chosen02", "Q039")), fromClient, false)
	expect(t, c, "quic", 2, 1)
}

func TestWhatIsNoConnectionIsNotCounted(t *testing.T) {
	c := newConnectionTracker(0)
	arp := tcpFrame(1, 443, 1, flagSyn)
	arp[13] = 0x06
	fragment := tcpFrame(1, 443, 1, flagSyn)
	fragment[21] = 1
	for _, one := range [][]byte{nil, arp, fragment, frame(17, nil), frame(6, make([]byte, 8)), frame(1, make([]byte, 30)),
		udpFrame(1, 443, nil), udpFrame(1, 443, []byte("a packet train")), udpFrame(1, 443, longHeader(0xc3, 1, "x", "")[:7])} {
		c.see(one, fromClient, true)
		c.see(one, fromServer, true)
	}
	for length := range longHeader(0xc3, 1, "chosen01", "mine") {
		newConnectionTracker(0).see(udpFrame(1, 443, longHeader(0xc3, 1, "chosen01", "mine")[:length]), fromClient, false)
	}
	for protocol, ports := range c.report() {
		for port, count := range ports {
			if count.Opened+count.HandshakeLost+count.Retries != 0 || count.Frames == 0 {
				t.Errorf("%s %s: %+v", protocol, port, count)
			}
		}
	}
}
