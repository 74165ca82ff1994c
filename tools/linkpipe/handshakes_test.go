package main

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// serverInitial is that of RFC 9001, A.3: an answer to the connection id 8394c8f03e515708.
var serverInitial = unhex("cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a5816b6394100f37a1c69797554780bb38cc5a99f5ede4cf73c3ec2493a1839b3dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bded74b562bfb19fb84022f8ef4cdd93795d77d06edbb7aaf2f58891850abbdca3d20398c276456cbc42158407dd074ee")

var openingID = string(unhex("8394c8f03e515708"))

func TestAServersInitialIsRead(t *testing.T) {
	message := newProtection(quicV1, []byte(openingID), fromServers).firstCrypto(serverInitial)
	if !bytes.HasPrefix(message, unhex("020000560303eefce7f7")) {
		t.Errorf("read %x", message)
	}
	if quicRetry(serverInitial, openingID) || quicRetry(serverInitial, "") || quicRetry(serverInitial, "another1") {
		t.Error("an answer was taken for a request to begin anew")
	}
	for n := range serverInitial {
		quicRetry(serverInitial[:n], openingID) // cut off: nothing is read beyond the end
	}
}

func TestARetryAndAVersionNegotiationBeginAnew(t *testing.T) {
	for name, packet := range map[string][]byte{
		"Retry":               longHeader(0xf0, 1, "", "servers"),
		"Retry of version 2":  longHeader(0xc0, quicV2, "", "servers"),
		"Version Negotiation": longHeader(0x80, 0, "", "servers"),
	} {
		c := newConnectionTracker(0)
		c.see(udpFrame(50000, 443, longHeader(0xc3, 1, "chosen01", "")), fromClient, false)
		c.see(udpFrame(443, 50000, packet), fromServer, false)
		if got := c.report()["quic"]["443"].Retries; got != 1 {
			t.Errorf("%s: %d", name, got)
		}
	}
}

func segment(source, target uint16, sequence, acknowledged uint32, payload []byte) []byte {
	made := tcpFrame(source, target, sequence, flagAck)
	binary.BigEndian.PutUint32(made[42:], acknowledged)
	made[46] = 5 << 4
	return append(made, payload...)
}

func TestAHelloRetryRequestOverTCPIsCounted(t *testing.T) {
	hello := append([]byte{22, 3, 3, 0, 90, 2, 0, 0, 86, 3, 3}, helloRetryRequest...)
	c := newConnectionTracker(0)
	c.see(segment(443, 40000, 1, 1, hello), fromServer, false)
	other := append([]byte{}, hello...)
	other[20] ^= 1
	c.see(segment(443, 40000, 60, 1, other), fromServer, false)
	c.see(segment(40000, 443, 1, 1, hello), fromClient, false)
	if got := c.report()["tcp"]["443"]; got.Retries != 1 || got.Frames != 3 {
		t.Errorf("%+v", got)
	}
}

// serverHello is a record with a ServerHello of these extensions, and what follows it in the segment.
func serverHello(extensions, after string) []byte {
	body := append(make([]byte, 0, 128), 3, 3)
	body = append(append(body, make([]byte, 32)...), 2, 0xaa, 0xbb, 0x13, 1, 0)
	more := unhex(extensions)
	body = append(append(body, 0, byte(len(more))), more...)
	message := append([]byte{2, 0, 0, byte(len(body))}, body...)
	return append(append([]byte{22, 3, 3, 0, byte(len(message))}, message...), unhex(after)...)
}

func TestAResumedTLSSessionIsCounted(t *testing.T) {
	const version, share, key = "002b00020304", "003300020017", "002900020000"
	for name, one := range map[string]struct {
		extensions, after string
		resumed           int64
	}{
		"1.3":                      {version + share, "140303000101", 0},
		"1.3 with a key":           {version + share + key, "140303000101", 1},
		"1.3, the key first":       {key + version, "", 1},
		"1.2 with a certificate":   {"ff01000100", "1603030100" + "0b", 0},
		"1.2 that ends at once":    {"ff01000100", "140303000101", 1},
		"1.2 with a new ticket":    {"00230000", "16030300ca" + "04", 1},
		"1.2, and nothing behind":  {"ff01000100", "", 0},
		"an extension that is cut": {"0029", "", 0},
	} {
		payload := serverHello(one.extensions, one.after)
		c := newConnectionTracker(0)
		c.see(segment(443, 40000, 1, 1, payload), fromServer, false)
		c.see(segment(40000, 443, 1, 1, payload), fromClient, false)
		if got := c.report()["tcp"]["443"].Resumed; got != one.resumed {
			t.Errorf("%s: %d", name, got)
		}
		for n := range payload {
			tlsResumed(payload[:n])
		}
	}
}

func TestTheInitialWindowIsWhatIsSentWithoutAcknowledgement(t *testing.T) {
	c := newConnectionTracker(0)
	c.see(tcpFrame(40000, 443, 7, flagSyn), fromClient, false)
	c.see(tcpFrame(443, 40000, 0xfffffff0, flagSyn|flagAck), fromServer, false) // sequence numbers begin again
	at := uint32(0xfffffff1)
	for n := uint32(0); n < 5; n++ { // the server's handshake lets no window grow
		c.see(segment(443, 40000, at+100*n, 8, make([]byte, 100)), fromServer, false)
	}
	c.see(segment(40000, 443, 8, at+500, nil), fromClient, false)
	at += 500
	for n := uint32(0); n < 10; n++ {
		c.see(segment(443, 40000, at+1000*n, 8, make([]byte, 1000)), fromServer, false)
	}
	for n := uint32(0); n < 10; n++ {
		c.see(segment(40000, 443, 8, at+1000*(n+1), nil), fromClient, false)
		for m := uint32(0); m < 2; m++ {
			c.see(segment(443, 40000, at+10_000+1000*(2*n+m), 8, make([]byte, 1000)), fromServer, false)
		}
	}
	if got := c.report()["tcp"]["443"].WindowPackets; got != 10 {
		t.Errorf("%d packets, the window was 10", got)
	}
	if got := c.report()["tcp"]["443"]; got.WindowPackets != 0 || got.Opened != 1 {
		t.Errorf("%+v: after a report it is looked for anew", got)
	}
}

func TestWhatFollowsALossIsNoInitialWindow(t *testing.T) {
	for name, tell := range map[string]func(*connectionTracker, uint32){
		"acknowledged again": func(c *connectionTracker, at uint32) {
			c.see(segment(40000, 443, 8, at+1000, nil), fromClient, false)
			c.see(segment(40000, 443, 8, at+1000, nil), fromClient, false)
		},
		"sent again": func(c *connectionTracker, at uint32) {
			c.see(segment(443, 40000, at, 8, make([]byte, 1000)), fromServer, false)
		},
	} {
		c := newConnectionTracker(0)
		c.see(tcpFrame(443, 40000, 0, flagSyn|flagAck), fromServer, false)
		send := func(n uint32) {
			c.see(segment(443, 40000, 1+1000*n, 8, make([]byte, 1000)), fromServer, false)
		}
		for n := uint32(0); n < 10; n++ {
			send(n)
		}
		tell(c, 1)
		for n := uint32(10); n < 30; n++ {
			send(n)
		}
		if got := c.report()["tcp"]["443"].WindowPackets; got != 10 {
			t.Errorf("%s: %d packets, the window was 10", name, got)
		}
	}
}

func TestAnAcknowledgementLetsTheWindowGrowOnceItReachesTheServer(t *testing.T) {
	const ms = 1_000_000
	c := newConnectionTracker(0)
	c.see(tcpFrame(443, 40000, 0, flagSyn|flagAck), fromServer, false)
	at := uint32(1)
	send := func(packets uint32, now int64) {
		for end := at + 1000*packets; at < end; at += 1000 {
			c.observe(segment(443, 40000, at, 8, make([]byte, 1000)), fromServer, false, now*ms-100_000, (now+18)*ms)
		}
	}
	send(5, 0)
	c.observe(segment(40000, 443, 8, at, nil), fromClient, false, 10*ms, 28*ms)
	send(5, 20)  // ten in flight to the server: it lets its window grow by the five that come at 28
	send(10, 28) // a moment before: the link may send early
	if got := c.report()["tcp"]["443"].WindowPackets; got != 10 {
		t.Errorf("%d packets, the window was 10", got)
	}
}
