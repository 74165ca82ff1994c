package main

import "encoding/binary"

const (
	ecnMask  = 0x03 // of IPv4's TOS and IPv6's traffic class
	protoTCP = 6
	protoUDP = 17
)

// ecnField is 0 where a frame's sender does not understand marks, else ECT(1), ECT(0) or CE
// (1, 2, 3; RFC 3168). The first and the last are L4S's (RFC 9331).
func ecnField(frame []byte) uint8 {
	switch ipVersion(frame) {
	case 4:
		return frame[ethernetBytes+1] & ecnMask
	case 6:
		return frame[ethernetBytes+1] >> 4 & ecnMask
	}
	return 0
}

// markCE sets the mark of congestion in a frame that is capable of it, and corrects
// IPv4's checksum by what was changed (RFC 1624), so that a wrong one stays wrong.
func markCE(frame []byte) {
	ip := frame[ethernetBytes:]
	if ipVersion(frame) == 6 {
		ip[1] |= ecnMask << 4
		return
	}
	before := binary.BigEndian.Uint16(ip)
	ip[1] |= ecnMask
	sum := uint32(^binary.BigEndian.Uint16(ip[10:])) + uint32(^before) + uint32(binary.BigEndian.Uint16(ip))
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	binary.BigEndian.PutUint16(ip[10:], ^uint16(sum))
}

// ipVersion is 4 or 6, of a frame with a whole header, or 0.
func ipVersion(frame []byte) int {
	switch {
	case len(frame) >= ethernetBytes+20 && frame[12] == 0x08 && frame[13] == 0:
		return 4
	case len(frame) >= ethernetBytes+40 && frame[12] == 0x86 && frame[13] == 0xdd:
		return 6
	}
	return 0
}

// flowKey is the same for frames of one flow: addresses, protocol and, of TCP and UDP,
// ports. Fragments have no ports; what is not IP is one flow for each type of frame.
func flowKey(frame []byte) uint64 {
	if len(frame) < ethernetBytes {
		return 0
	}
	ip := frame[ethernetBytes:]
	var addresses, ports []byte
	protocol := uint64(binary.BigEndian.Uint16(frame[12:])) << 8
	switch ipVersion(frame) {
	case 4:
		addresses, protocol = ip[12:20], protocol|uint64(ip[9])
		if header := int(ip[0]&0x0f) * 4; binary.BigEndian.Uint16(ip[6:])&0x3fff == 0 && len(ip) >= header+4 {
			ports = ip[header : header+4]
		}
	case 6:
		addresses, protocol = ip[8:40], protocol|uint64(ip[6])
		if len(ip) >= 44 {
			ports = ip[40:44]
		}
	}
	key := splitmix64(protocol)
	for ; len(addresses) > 0; addresses = addresses[4:] {
		key = splitmix64(key ^ uint64(binary.BigEndian.Uint32(addresses)))
	}
	if known := protocol & 0xff; ports != nil && (known == protoTCP || known == protoUDP) {
		key = splitmix64(key ^ uint64(binary.BigEndian.Uint32(ports)))
	}
	return key
}
