package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// site is the page and its image, held in memory: no disk is in the way of a measurement.
type site struct{ page, image []byte }

func readSite(folder string) (*site, error) {
	page, err := os.ReadFile(filepath.Join(folder, "index.html"))
	if err != nil {
		return nil, err
	}
	image, err := os.ReadFile(filepath.Join(folder, "image.jpg"))
	if err != nil {
		return nil, err
	}
	return &site{page, image}, nil
}

// ServeHTTP answers with exactly those bytes, not to be stored and not compressed.
func (s *site) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var body []byte
	var kind string
	switch path := request.URL.Path; {
	case path == "/" || path == "/index.html":
		body, kind = s.page, "text/html"
	case strings.HasPrefix(path, "/img/"):
		body, kind = s.image, "image/jpeg"
	default:
		w.WriteHeader(http.StatusNotFound)
		return
	}
	header := w.Header()
	header.Set("content-type", kind)
	header.Set("content-length", strconv.Itoa(len(body)))
	header.Set("cache-control", "no-store,no-cache")
	_, _ = w.Write(body) // fails when the client has gone, which is the client's business
}
