package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
)

// site is a tree of files by the path that each answers, held in memory: no disk is in the way of a measurement.
type site map[string]file

type file struct {
	body []byte
	kind string
}

var kinds = map[string]string{".html": "text/html", ".jpg": "image/jpeg"}

// readSite reads every file below a folder. One that has several names (hard links) is read and held once.
func readSite(folder string) (site, error) {
	found := site{}
	seen := map[int64][]held{}
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no regular file", name)
		}
		relative, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		body, err := bodyOf(name, info, seen)
		found["/"+filepath.ToSlash(relative)] = file{body, kindOf(name)}
		return err
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s holds no files", folder)
	}
	return found, err
}

// held is a file whose content has been read.
type held struct {
	info os.FileInfo
	body []byte
}

// bodyOf reads a file, unless it is one that has been seen under another name; those have the same size.
func bodyOf(name string, info os.FileInfo, seen map[int64][]held) ([]byte, error) {
	for _, one := range seen[info.Size()] {
		if os.SameFile(one.info, info) {
			return one.body, nil
		}
	}
	body, err := os.ReadFile(name)
	seen[info.Size()] = append(seen[info.Size()], held{info, body})
	return body, err
}

func kindOf(name string) string {
	if kind, known := kinds[filepath.Ext(name)]; known {
		return kind
	}
	return "application/octet-stream"
}

// ServeHTTP answers with exactly a file's bytes, not to be stored and not compressed.
func (s site) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	file, found := s[request.URL.Path]
	if !found {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	header := w.Header()
	header.Set("content-type", file.kind)
	header.Set("content-length", strconv.Itoa(len(file.body)))
	header.Set("cache-control", "no-store,no-cache")
	_, _ = w.Write(file.body) // fails when the client has gone, which is the client's business
}
