package main

import (
	"encoding/binary"
	"encoding/hex"
	"testing"
)

func TestKeysOfInitialPackets(t *testing.T) {
	target, _ := hex.DecodeString("8394c8f03e515708")
	secret := expandLabel(hmacOf(initials[quicV1].salt, target), fromClients, 32)
	for label, want := range map[string]string{ // RFC 9001, A.1
		"quic key": "1f369613dd76d5467730efcbe3b1a22d",
		"quic iv":  "fa044b2f42a3fd3b46fb255c",
		"quic hp":  "9f50449e04a0e810283a1e9933adedd2",
	} {
		if got := hex.EncodeToString(expandLabel(secret, label, len(want)/2)); got != want {
			t.Errorf("%s: %s, want %s", label, got, want)
		}
	}
}

// clientHello is one with these extensions.
func clientHello(extensions []byte) []byte {
	body := append(make([]byte, 2+32), 0, 0, 2, 0x13, 0x01, 1, 0)
	body = binary.BigEndian.AppendUint16(body, uint16(len(extensions)))
	body = append(body, extensions...)
	return append([]byte{typeClientHello, 0, byte(len(body) >> 8), byte(len(body))}, body...)
}

func extension(kind uint16, content []byte) []byte {
	head := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, kind), uint16(len(content)))
	return append(head, content...)
}

// parameters has one transport parameter before Google's connection options.
func parameters(tags string) []byte {
	found := []byte{0x01, 2, 0x40, 0x64}
	if tags != "" {
		found = append(append(found, 0x71, 0x28, byte(len(tags))), tags...)
	}
	return found
}

func cryptoFrame(at int, data []byte) []byte {
	head := []byte{6, byte(at>>8) | 0x40, byte(at), byte(len(data)>>8) | 0x40, byte(len(data))}
	return append(head, data...)
}

// initial is a protected Initial packet of a client.
func initial(version uint32, target string, number byte, frames []byte) []byte {
	keys := newHello(version, []byte(target))
	if keys == nil {
		keys = newHello(quicV1, []byte(target))
	}
	frames = append(frames, make([]byte, 64)...)
	packet := binary.BigEndian.AppendUint32([]byte{initials[version].first | 0xc0}, version)
	packet = append(append(packet, byte(len(target))), target...)
	packet = append(packet, 0, 0) // no source, no token
	packet = binary.BigEndian.AppendUint16(packet, uint16(1+len(frames)+16)|0x4000)
	packet = append(packet, number)
	nonce := append([]byte{}, keys.nonce...)
	nonce[11] ^= number
	at := len(packet)
	packet = keys.payload.Seal(packet, nonce, frames, packet)
	mask := make([]byte, 16)
	keys.header.Encrypt(mask, packet[at+3:at+19])
	packet[0] ^= mask[0] & 0x0f
	packet[at-1] ^= mask[1]
	return packet
}

func asked(c *connectionTracker) map[string]int64 { return c.report()["quic"]["443"].Asked }

func TestTheOptionsThatAClientAsksFor(t *testing.T) {
	for name, one := range map[string]struct {
		version   uint32
		extension uint16
		tags      string
		want      string
	}{
		"one":           {quicV1, extensionParams, "TBBR", "TBBR"},
		"several":       {quicV1, extensionParams, "IW10TBBR5RTO", "IW10,TBBR,5RTO"},
		"of the draft":  {quicDraft29, extensionDraft, "RENO", "RENO"},
		"of version 2":  {quicV2, extensionParams, "RENO", "RENO"},
		"short":         {quicV1, extensionParams, "ABC\x00", "ABC"},
		"of no letters": {quicV1, extensionParams, "\x01BBR", "0x01424252"},
		"none":          {quicV1, extensionParams, "", ""},
	} {
		hello := clientHello(append(extension(0, make([]byte, 40)), extension(one.extension, parameters(one.tags))...))
		c := newConnectionTracker(0)
		packet := initial(one.version, "target01", 1, cryptoFrame(0, hello))
		c.see(udpFrame(40000, 443, packet), fromClient, false)
		c.see(udpFrame(40000, 443, packet), fromClient, false) // again
		if got := asked(c); len(got) != 1 || got[one.want] != 1 {
			t.Errorf("%s: %v, want %q once", name, got, one.want)
		}
		if len(c.hellos) != 0 {
			t.Errorf("%s: what was read is kept", name)
		}
	}
}

func TestAHelloInPiecesOutOfOrder(t *testing.T) {
	hello := clientHello(append(extension(51, make([]byte, 1216)), extension(extensionParams, parameters("B2ON"))...))
	c := newConnectionTracker(0)
	late := append([]byte{1, 0, 1}, cryptoFrame(700, hello[700:])...)
	late = append(late, cryptoFrame(0, hello[:100])...)
	c.see(udpFrame(40000, 443, initial(quicV1, "target01", 1, late)), fromClient, true) // lost: seen nevertheless
	if got := asked(c); len(got) != 0 {
		t.Errorf("%v from a part of a hello", got)
	}
	c.see(udpFrame(40000, 443, initial(quicV1, "target01", 2, cryptoFrame(100, hello[100:700]))), fromClient, false)
	if got := asked(c); got["B2ON"] != 1 {
		t.Errorf("%v, want B2ON once", got)
	}
}

func TestWhatCannotBeReadAsksForNothingThatIsKnown(t *testing.T) {
	legacy := append(parameters(""), 0x80, 0, 0x47, 0x51, 1, 0)
	right := clientHello(extension(extensionParams, parameters("TBBR")))
	spoilt := initial(quicV1, "target01", 1, cryptoFrame(0, right))
	spoilt[len(spoilt)-1] ^= 1
	for name, packet := range map[string][]byte{
		"another version":           initial(0x6b3343d0, "target01", 1, cryptoFrame(0, right)),
		"no transport parameters":   initial(quicV1, "target01", 1, cryptoFrame(0, clientHello(nil))),
		"Google's older parameter":  initial(quicV1, "target01", 1, cryptoFrame(0, clientHello(extension(extensionParams, legacy)))),
		"changed on its way":        spoilt,
		"a length beyond its end":   initial(quicV1, "target01", 1, cryptoFrame(0, clientHello(extension(extensionParams, []byte{1, 9})))),
		"far from the beginning":    initial(quicV1, "target01", 1, cryptoFrame(0x3fff, make([]byte, 9))),
		"a frame that is none here": initial(quicV1, "target01", 1, []byte{0x1c, 0, 0, 0}),
	} {
		c := newConnectionTracker(0)
		c.see(udpFrame(40000, 443, packet), fromClient, false)
		if got := asked(c); len(got) != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
	for cut := range spoilt {
		c := newConnectionTracker(0)
		c.see(udpFrame(40000, 443, initial(quicV1, "target01", 1, cryptoFrame(0, right))[:cut]), fromClient, false)
	}
}
