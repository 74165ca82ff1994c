// Package sender holds what gquicd sets, and wants to know, of the senders of all its connections.
package sender

import "time"

// Settings of the sender, as in Chromium of 2017 unless changed.
type Settings struct {
	// EmulatedConnections is N, the number of TCP flows that CUBIC behaves like (thesis, section 4.1).
	EmulatedConnections int
	// NackThreshold: a packet is lost once a packet this many numbers higher has been acknowledged.
	NackThreshold int
	// InitialWindow and MaxWindow are congestion windows in packets of 1460 bytes.
	InitialWindow, MaxWindow int
	// RequestCost is CPU time that each request takes a connection's loop; below 0: requests make no work of their own.
	RequestCost time.Duration
}

// Current settings; to be changed before the first connection, and not after.
var Current = Settings{EmulatedConnections: 2, NackThreshold: 3, InitialWindow: 32, MaxWindow: 2000, RequestCost: -1}

// Phases of the congestion controller.
const (
	SlowStart = "slow_start"
	Avoidance = "congestion_avoidance"
	Recovery  = "recovery"
)

// Ack is the state of a sender after it has processed an ACK frame.
type Ack struct {
	Time               time.Time
	Connection         string
	CongestionWindow   uint64 // bytes
	SlowStartThreshold uint64 // bytes
	BytesInFlight      uint64
	SmoothedRTT        time.Duration
	PacketsLost        int // so far, on this connection
	Phase              string
}

// OnAck is called after every ACK frame, from the connection's own goroutine; nil: nothing is logged.
var OnAck func(Ack)

// Work is what a connection's loop did at requests before it went on.
type Work struct {
	Connection string
	Requests   int
	Took       time.Duration // by the wall clock
}

// OnWork is called after every Work, from a goroutine of its own; nil: nothing is logged.
var OnWork func(Work)
