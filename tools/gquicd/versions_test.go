package main

import (
	"bytes"
	"testing"
)

func TestQ037IsNotNegotiated(t *testing.T) {
	packet := append([]byte{0x09, 1, 2, 3, 4, 5, 6, 7, 8}, "Q037 and the rest"...)
	if offered, answer := negotiation(packet); answer != nil {
		t.Errorf("offered %s, answered %x", offered, answer)
	}
	if _, answer := negotiation([]byte{0x08, 1, 2, 3, 4, 5, 6, 7, 8, 0x17}); answer != nil {
		t.Error("a packet without a version was answered")
	}
}

func TestAnotherGoogleVersionIsToldWhatIsSpoken(t *testing.T) {
	packet := append([]byte{0x0d, 1, 2, 3, 4, 5, 6, 7, 8}, "Q043 and the rest"...)
	offered, answer := negotiation(packet)
	if offered != "Q043" {
		t.Errorf("offered %q", offered)
	}
	if want := append([]byte{0x09, 1, 2, 3, 4, 5, 6, 7, 8}, "Q037"...); !bytes.Equal(answer, want) {
		t.Errorf("answered %x, want %x", answer, want)
	}
}

func TestQUICVersion1IsToldByVersionNegotiationOfRFC8999(t *testing.T) {
	packet := append([]byte{0xc3, 0, 0, 0, 1, 3, 'd', 's', 't', 2, 's', 'r'}, make([]byte, 1200)...)
	offered, answer := negotiation(packet)
	if offered != "0x00000001" {
		t.Errorf("offered %q", offered)
	}
	if want := append([]byte{0x80, 0, 0, 0, 0, 2, 's', 'r', 3, 'd', 's', 't'}, "Q037"...); !bytes.Equal(answer, want) {
		t.Errorf("answered %x, want %x", answer, want)
	}
}

func TestDamagedLongHeadersAreLeftAlone(t *testing.T) {
	whole := []byte{0xc3, 0, 0, 0, 1, 3, 'd', 's', 't', 2, 's', 'r'}
	for length := 0; length < len(whole); length++ {
		if _, answer := negotiation(whole[:length]); answer != nil {
			t.Errorf("%d bytes of a header were answered", length)
		}
	}
	negotiationItself := []byte{0x80, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}
	if _, answer := negotiation(negotiationItself); answer != nil {
		t.Error("a version negotiation packet was answered")
	}
}
