package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

var tree = map[string]string{
	"index.html":         "<html>",
	"img/007.jpg":        "jpeg",
	"file-000.bin":       "\x00\xff",
	"deep/er/no-suffix":  "plain",
	"with space/ü+&.txt": "odd",
	"empty.bin":          "",
}

func write(t *testing.T, folder string) {
	t.Helper()
	for name, body := range tree {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func get(site site, path string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	site.ServeHTTP(answer, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}})
	return answer
}

func TestTheSiteIsServedAsItLiesThere(t *testing.T) {
	folder := t.TempDir()
	write(t, folder)
	site, err := readSite(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(site) != len(tree) {
		t.Errorf("%d files, %d expected", len(site), len(tree))
	}
	for name, want := range tree {
		answer := get(site, "/"+name)
		if answer.Code != http.StatusOK || answer.Body.String() != want {
			t.Errorf("%s: %d %q", name, answer.Code, answer.Body)
		}
		if answer.Header().Get("cache-control") != "no-store,no-cache" {
			t.Errorf("%s may be stored", name)
		}
	}
	for path, want := range map[string]string{"/index.html": "text/html", "/img/007.jpg": "image/jpeg", "/file-000.bin": "application/octet-stream"} {
		if kind := get(site, path).Header().Get("content-type"); kind != want {
			t.Errorf("%s is %s", path, kind)
		}
	}
	for _, path := range []string{"/", "/img", "/img/", "/img/008.jpg", "/index.html/", "/../index.html", "index.html"} {
		if code := get(site, path).Code; code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
}

func TestAFileOfSeveralNamesIsHeldOnce(t *testing.T) {
	folder := t.TempDir()
	write(t, folder)
	if err := os.Link(filepath.Join(folder, "img/007.jpg"), filepath.Join(folder, "img/008.jpg")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "img/009.jpg"), []byte("jpeg"), 0o600); err != nil {
		t.Fatal(err)
	}
	site, err := readSite(folder)
	if err != nil {
		t.Fatal(err)
	}
	first, linked, other := site["/img/007.jpg"].body, site["/img/008.jpg"].body, site["/img/009.jpg"].body
	if &first[0] != &linked[0] {
		t.Error("one file was read twice")
	}
	if &first[0] == &other[0] {
		t.Error("two files were taken for one")
	}
}

func TestAFolderThatIsNoSiteIsAnError(t *testing.T) {
	if _, err := readSite(t.TempDir()); err == nil {
		t.Error("an empty folder was taken for a site")
	}
	if _, err := readSite(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("no folder was taken for a site")
	}
	folder := t.TempDir()
	if err := os.Symlink("/etc/hostname", filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := readSite(folder); err == nil {
		t.Error("a link that leads elsewhere was served")
	}
}
