package main

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTheTreeIsServedAsItIs(t *testing.T) {
	root := t.TempDir()
	for name, body := range map[string]string{"index.html": "<p>", "a b/c%25.bin": "odd", "x.jpg": "image"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := readSite(root)
	if err != nil {
		t.Fatal(err)
	}
	for target, wanted := range map[string]struct {
		status     int
		body, kind string
	}{
		"/index.html":         {200, "<p>", "text/html"},
		"/a%20b/c%2525.bin":   {200, "odd", "application/octet-stream"},
		"/x.jpg":              {200, "image", "image/jpeg"},
		"/a%20b":              {404, "no such file\n", "text/plain; charset=utf-8"},
		"/../" + root + "/x":  {404, "no such file\n", "text/plain; charset=utf-8"},
		"/a%20b/c%25.bin":     {404, "no such file\n", "text/plain; charset=utf-8"},
		"/index.html?q=1&r=2": {200, "<p>", "text/html"},
	} {
		seen := httptest.NewRecorder()
		files.ServeHTTP(seen, httptest.NewRequest(http.MethodGet, target, nil))
		if seen.Code != wanted.status || seen.Body.String() != wanted.body || seen.Header().Get("Content-Type") != wanted.kind {
			t.Errorf("%s: %d, %q, %q", target, seen.Code, seen.Body.String(), seen.Header().Get("Content-Type"))
		}
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	for _, arguments := range [][]string{nil, {"serve"}, {"fetch", "a"}, {"other"}} {
		if err := run(arguments); err == nil || !strings.Contains(err.Error(), "fetch ORIGIN") {
			t.Errorf("%q: %v", arguments, err)
		}
	}
	if _, err := (fetching{certificate: os.DevNull}).trusted(); err == nil || !strings.Contains(err.Error(), "no certificate") {
		t.Errorf("%v", err)
	}
}

func TestNobodyAnswers(t *testing.T) {
	own := fetching{origin: "test", port: "9", address: "127.0.0.1"}
	began := time.Now()
	_, err := own.fetch(&tls.Config{NextProtos: []string{"h3"}}, request{Path: "/", TimeoutMs: 200})
	if err == nil || time.Since(began) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

func TestATicketIsNoOlderThanItIs(t *testing.T) {
	known := &sessions{ClientSessionCache: tls.NewLRUClientSessionCache(1)}
	known.aged() // there is none to wait for
	before := time.Now().UnixNano()
	known.Put("server", &tls.ClientSessionState{})
	if came := known.came.Load(); came < before || time.Now().UnixNano() < came {
		t.Errorf("it came at %d, not since %d", came, before)
	}
	for _, ahead := range []time.Duration{-300, 0, 50, 300} {
		came := time.Now().Add(ahead*time.Millisecond - 2*time.Second)
		known.came.Store(came.UnixNano())
		known.aged()
		now := time.Now()
		if told, is := now.Unix()-came.Unix(), now.Sub(came); time.Duration(told)*time.Second > is {
			t.Errorf("%d s old after %s", told, is)
		}
	}
}
