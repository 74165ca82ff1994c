package main

import (
	"net/http"

	"github.com/lucas-clemente/quic-go/h2quic"
)

// worked wraps a handler: each request's cost is its connection's to bear before anything of the answer goes out.
func worked(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if connection := h2quic.ConnectionOf(request); connection != nil {
			connection.Work()
		}
		handler.ServeHTTP(w, request)
	})
}
