package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
)

// versionGate answers clients of other versions by version negotiation, and says what they offered; all else
// goes on to the server. The module would do so for Google QUIC, but knows no long header of RFC 8999.
type versionGate struct {
	net.PacketConn
	spoken  string // the tag of the one version, as it stands in a packet
	refused func(offered []string)
}

// ReadFrom returns the next packet that is not of another version.
func (g *versionGate) ReadFrom(buffer []byte) (int, net.Addr, error) {
	for {
		size, from, err := g.PacketConn.ReadFrom(buffer)
		if err != nil {
			return size, from, err
		}
		offered, answer := negotiation(buffer[:size], g.spoken)
		if answer == nil {
			return size, from, nil
		}
		g.refused([]string{offered})
		_, _ = g.PacketConn.WriteTo(answer, from) // lost, if it fails, like any packet
	}
}

const (
	longHeader         = 0x80 // RFC 8999, section 5.1; no public header of Google QUIC has this bit
	publicVersion      = 0x01 // public flags of Google QUIC: a version follows
	publicConnectionID = 0x08
	publicConnIDLength = 8
)

// negotiation returns the version that a client's packet offers and the version negotiation packet that answers
// it; no answer means that the packet is of the version spoken, or has none.
func negotiation(packet []byte, spoken string) (offered string, answer []byte) {
	if len(packet) == 0 {
		return "", nil
	}
	if packet[0]&longHeader != 0 {
		return invariantNegotiation(packet, spoken)
	}
	end := 1 + publicConnIDLength + 4
	if packet[0]&(publicVersion|publicConnectionID) != publicVersion|publicConnectionID || len(packet) < end {
		return "", nil
	}
	tag := packet[1+publicConnIDLength : end]
	if string(tag) == spoken {
		return "", nil
	}
	answer = append([]byte{publicVersion | publicConnectionID}, packet[1:1+publicConnIDLength]...)
	return tagText(tag), append(answer, spoken...)
}

// invariantNegotiation is for the long header of RFC 8999: flags, version, two connection ids with their lengths.
func invariantNegotiation(packet []byte, spoken string) (offered string, answer []byte) {
	rest := bytes.NewReader(packet[1:])
	var tag [4]byte
	if _, err := rest.Read(tag[:]); err != nil || rest.Len() < 2 {
		return "", nil
	}
	destination, ok := connectionID(rest)
	if !ok {
		return "", nil
	}
	source, ok := connectionID(rest)
	if !ok || binary.BigEndian.Uint32(tag[:]) == 0 {
		return "", nil
	}
	answer = append([]byte{longHeader, 0, 0, 0, 0, byte(len(source))}, source...)
	answer = append(append(answer, byte(len(destination))), destination...)
	return tagText(tag[:]), append(answer, spoken...)
}

func connectionID(from *bytes.Reader) ([]byte, bool) {
	length, err := from.ReadByte()
	if err != nil || int(length) > from.Len() {
		return nil, false
	}
	id := make([]byte, length)
	_, _ = from.Read(id) // an empty id at the end reads nothing
	return id, true
}

// tagText writes a version as text where it is one (Q039), else as a number (0x00000001).
func tagText(tag []byte) string {
	for _, letter := range tag {
		if letter < '0' || letter > 'z' {
			return fmt.Sprintf("%#08x", binary.BigEndian.Uint32(tag))
		}
	}
	return string(tag)
}
