package main

import (
	"net/http"
	"sync"

	"github.com/lucas-clemente/quic-go/h2quic"
)

// pages ends each connection with its page: GOAWAY once the last request has come, so that the browser opens a
// new connection for the next page, and CONNECTION_CLOSE some time after the client has acknowledged the last byte.
type pages struct {
	requests int // per page; 0: connections stay open
	mutex    sync.Mutex
	begun    map[string]int
	done     map[string]int
}

func newPages(requests int) *pages {
	return &pages{requests: requests, begun: map[string]int{}, done: map[string]int{}}
}

// count wraps a handler and counts requests as they come.
func (p *pages) count(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if connection := h2quic.ConnectionOf(request); connection != nil && p.isLast(p.begun, connection.ID()) {
			connection.GoAway()
		}
		handler.ServeHTTP(w, request)
	})
}

// served is called when a response has been written whole.
func (p *pages) served(connection h2quic.Connection) {
	if p.isLast(p.done, connection.ID()) {
		connection.CloseWhenDelivered()
		p.mutex.Lock()
		delete(p.begun, connection.ID())
		delete(p.done, connection.ID())
		p.mutex.Unlock()
	}
}

func (p *pages) isLast(counts map[string]int, connection string) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	counts[connection]++
	return counts[connection] == p.requests
}
