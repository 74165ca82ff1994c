package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

type connection struct{ goneAway, closed int }

func (c *connection) ID() string          { return "1" }
func (c *connection) Rejections() int     { return 0 }
func (c *connection) GoAway()             { c.goneAway++ }
func (c *connection) CloseWhenDelivered() { c.closed++ }
func (c *connection) Confirmed() bool     { return false }

func TestAConnectionIsClosedAfterTheLastResponseOfItsPage(t *testing.T) {
	pages, own := newPages(3), &connection{}
	for response := 1; response <= 3; response++ {
		if own.closed != 0 {
			t.Fatalf("closed after %d of 3 responses", response-1)
		}
		pages.served(own)
	}
	if own.closed != 1 {
		t.Errorf("closed %d times", own.closed)
	}
	if len(pages.done) != 0 {
		t.Error("the count of a closed connection was kept")
	}
}

func TestNothingIsClosedWithoutALimit(t *testing.T) {
	pages, own := newPages(0), &connection{}
	for response := 0; response < 1000; response++ {
		pages.served(own)
	}
	if own.closed != 0 {
		t.Error("closed")
	}
}

func TestTheSiteIsServedAsItLiesThere(t *testing.T) {
	folder := t.TempDir()
	for name, body := range map[string]string{"index.html": "<html>", "image.jpg": "jpeg"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	site, err := readSite(folder)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/index.html": "<html>", "/img/007.jpg": "jpeg", "/other": ""} {
		answer := httptest.NewRecorder()
		request := httptest.NewRequest(http.MethodGet, path, nil).WithContext(context.Background())
		site.ServeHTTP(answer, request)
		if answer.Body.String() != want || (want == "") != (answer.Code == http.StatusNotFound) {
			t.Errorf("%s: %d %q", path, answer.Code, answer.Body)
		}
		if want != "" && answer.Header().Get("cache-control") != "no-store,no-cache" {
			t.Errorf("%s may be stored", path)
		}
	}
	if _, err := readSite(t.TempDir()); err == nil {
		t.Error("an empty folder was taken for a site")
	}
}
