package main

import (
	"encoding/hex"
	"strings"
)

// What a client asks of a QUIC server in its hello: Google's connection options, a transport parameter by which QUICHE lets a
// client choose the server's congestion controller, among others.

const (
	mostHelloBytes    = 1 << 14
	typeClientHello   = 1
	extensionParams   = 0x0039
	extensionDraft    = 0xffa5
	paramOptions      = 0x3128 // google_connection_options
	paramGoogleLegacy = 18257  // a whole message of Google's, in which browsers of 2020 had them: not read
)

// hello reads one client's hello out of its Initial packets.
type hello struct {
	*protection
	crypto []byte
	have   []bool
}

// newHello begins with the connection id that the client chose for the server; nil for a version whose keys are not known.
func newHello(version uint32, target []byte) *hello {
	keys := newProtection(version, target, fromClients)
	if keys == nil {
		return nil
	}
	return &hello{protection: keys}
}

// take reads the Initial packets of a datagram. Done: the hello is whole, or is none that can be read; then options are the
// tags that it asks for, in its order, and readable says whether they could be told.
func (h *hello) take(datagram []byte) (options string, readable, done bool) {
	for len(datagram) > 0 {
		plain, rest, ok := h.open(datagram)
		if !ok || !cryptoFrames(plain, h.place) {
			break
		}
		datagram = rest
	}
	whole := 0
	for whole < len(h.have) && h.have[whole] {
		whole++
	}
	if whole < 4 {
		return "", false, false
	}
	length := int(h.crypto[1])<<16 | int(h.crypto[2])<<8 | int(h.crypto[3])
	if h.crypto[0] != typeClientHello || length+4 > mostHelloBytes {
		return "", false, true
	}
	if whole < 4+length {
		return "", false, false
	}
	options, readable = optionsOf(h.crypto[4 : 4+length])
	return options, readable, true
}

// place takes in a part of the hello; false where it is too far from the beginning.
func (h *hello) place(offset uint64, data []byte) bool {
	if offset > mostHelloBytes || offset+uint64(len(data)) > mostHelloBytes {
		return false
	}
	at := int(offset)
	if end := at + len(data); end > len(h.crypto) {
		h.crypto = append(h.crypto, make([]byte, end-len(h.crypto))...)
		h.have = append(h.have, make([]bool, end-len(h.have))...)
	}
	copy(h.crypto[at:], data)
	for i := range data {
		h.have[at+i] = true
	}
	return true
}

// optionsOf reads a ClientHello (RFC 8446, 4.1.2): the tags of its connection options, "TBBR,IW10".
func optionsOf(body []byte) (string, bool) {
	r := reader{body, true}
	r.bytes(2 + 32) // version, random
	r.bytes(uint64(r.byte()))
	r.bytes(r.uint16())
	r.bytes(uint64(r.byte()))
	extensions := reader{r.bytes(r.uint16()), true}
	for extensions.ok && len(extensions.data) > 0 {
		kind := extensions.uint16()
		content := extensions.bytes(extensions.uint16())
		if extensions.ok && (kind == extensionParams || kind == extensionDraft) {
			return optionsOfParams(content)
		}
	}
	return "", false
}

func optionsOfParams(content []byte) (string, bool) {
	r, found := reader{content, true}, []string{}
	for r.ok && len(r.data) > 0 {
		kind := r.varint()
		value := r.bytes(r.varint())
		if kind == paramGoogleLegacy {
			return "", false
		}
		for ; r.ok && kind == paramOptions && len(value) >= 4; value = value[4:] {
			found = append(found, tagText(value[:4]))
		}
	}
	return strings.Join(found, ","), r.ok
}

// tagText is a tag as people write it, or its digits where it is none of letters.
func tagText(tag []byte) string {
	text := strings.TrimRight(string(tag), "\x00")
	for _, one := range text {
		if one < '0' || one > 'z' || one == ',' {
			return "0x" + hex.EncodeToString(tag)
		}
	}
	return text
}
