package main

import (
	"bytes"
	"testing"

	quic "github.com/lucas-clemente/quic-go"
)

func TestTheVersionSpokenIsNotNegotiated(t *testing.T) {
	for _, spoken := range quic.Tags() {
		packet := append([]byte{0x09, 1, 2, 3, 4, 5, 6, 7, 8}, spoken+" and the rest"...)
		if offered, answer := negotiation(packet, spoken); answer != nil {
			t.Errorf("%s: offered %s, answered %x", spoken, offered, answer)
		}
		if _, answer := negotiation([]byte{0x08, 1, 2, 3, 4, 5, 6, 7, 8, 0x17}, spoken); answer != nil {
			t.Errorf("%s: a packet without a version was answered", spoken)
		}
	}
}

func TestAnotherGoogleVersionIsToldWhatIsSpoken(t *testing.T) {
	for spoken, other := range map[string]string{"Q037": "Q043", "Q039": "Q037", "Q043": "Q046"} {
		packet := append([]byte{0x0d, 1, 2, 3, 4, 5, 6, 7, 8}, other+" and the rest"...)
		offered, answer := negotiation(packet, spoken)
		if offered != other {
			t.Errorf("%s: offered %q", spoken, offered)
		}
		if want := append([]byte{0x09, 1, 2, 3, 4, 5, 6, 7, 8}, spoken...); !bytes.Equal(answer, want) {
			t.Errorf("answered %x, want %x", answer, want)
		}
	}
}

func TestQUICVersion1IsToldByVersionNegotiationOfRFC8999(t *testing.T) {
	packet := append([]byte{0xc3, 0, 0, 0, 1, 3, 'd', 's', 't', 2, 's', 'r'}, make([]byte, 1200)...)
	for _, spoken := range quic.Tags() {
		offered, answer := negotiation(packet, spoken)
		if offered != "0x00000001" {
			t.Errorf("offered %q", offered)
		}
		if want := append([]byte{0x80, 0, 0, 0, 0, 2, 's', 'r', 3, 'd', 's', 't'}, spoken...); !bytes.Equal(answer, want) {
			t.Errorf("answered %x, want %x", answer, want)
		}
	}
}

func TestDamagedLongHeadersAreLeftAlone(t *testing.T) {
	whole := []byte{0xc3, 0, 0, 0, 1, 3, 'd', 's', 't', 2, 's', 'r'}
	for length := 0; length < len(whole); length++ {
		if _, answer := negotiation(whole[:length], "Q037"); answer != nil {
			t.Errorf("%d bytes of a header were answered", length)
		}
	}
	negotiationItself := []byte{0x80, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}
	if _, answer := negotiation(negotiationItself, "Q037"); answer != nil {
		t.Error("a version negotiation packet was answered")
	}
}
