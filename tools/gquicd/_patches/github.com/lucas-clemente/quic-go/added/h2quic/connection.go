package h2quic

import (
	"context"
	"net/http"
)

// Connection is what a handler may know of, and do to, the QUIC connection of a request.
type Connection interface {
	// ID of the connection, as hexadecimal digits.
	ID() string
	// Rejections is the number of REJ messages that the handshake took; 0 means that 0-RTT data was possible.
	Rejections() int
	// Confirmed says whether the client has sent a packet with the final keys, a round trip after its first.
	Confirmed() bool
	// GoAway tells the client to open no more streams on this connection.
	GoAway()
	// CloseWhenDelivered closes the connection some time after the client has acknowledged everything.
	CloseWhenDelivered()
	// Work makes the connection's loop bear the cost of one request before it goes on.
	Work()
}

type connectionKey struct{}

func withConnection(parent context.Context, session streamCreator) context.Context {
	return context.WithValue(parent, connectionKey{}, session)
}

// ConnectionOf returns the connection that a request came on, nil if it came on none of this server's.
func ConnectionOf(request *http.Request) Connection {
	connection, _ := request.Context().Value(connectionKey{}).(Connection)
	return connection
}

// afterResponse runs when a response has been written and its stream closed.
func (s *Server) afterResponse(session streamCreator) {
	if connection, ok := session.(Connection); ok && s.AfterResponse != nil {
		s.AfterResponse(connection)
	}
}
