package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/quic-go/qlog"
)

// controller is the only one that this version has: sent_packet_handler.go asks for its Reno, whatever the name of the file.
const controller = "reno"

var kinds = map[string]string{".html": "text/html", ".jpg": "image/jpeg"}

type serving struct{ root, address, port, certificate, key, log string }

// site is a tree of files by the path that each answers, held in memory: no disk is in the way of a measurement.
type site map[string]file

type file struct {
	body []byte
	kind string
}

func readSite(root string) (site, error) {
	found := site{}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		body, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		kind, known := kinds[filepath.Ext(name)]
		if !known {
			kind = "application/octet-stream"
		}
		found["/"+filepath.ToSlash(below)] = file{body, kind}
		return nil
	})
	return found, err
}

// then is the field of a request that names further files, which follow the one asked for in the same answer.
const then = "Then"

// inTurn is the priority of a request whose answer is to leave whole before the next one's (RFC 9218, 4.2 and 10). quic-go by itself
// sends a packet of each stream in turn, and still does where nothing is said.
const inTurn = "i=?0"

// ServeHTTP answers with a file, or with several one after the other, or with 404; nothing outside of the tree can be asked for.
func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	one, known := s[r.URL.Path]
	body := one.body[:len(one.body):len(one.body)] // what follows goes into a copy
	for _, further := range strings.Fields(r.Header.Get(then)) {
		next, there := s[further]
		body, known = append(body, next.body...), known && there
	}
	if !known {
		http.Error(w, "no such file", http.StatusNotFound)
		return
	}
	head := w.Header()
	head.Set("Content-Type", one.kind)
	head.Set("Content-Length", strconv.Itoa(len(body)))
	head.Set("Cache-Control", "no-store,no-cache")
	if turn, ok := r.Context().Value(turns{}).(*sync.Mutex); ok && r.Header.Get("Priority") == inTurn {
		turn.Lock()
		defer turn.Unlock()
	}
	_, _ = w.Write(body) // a client that is gone is none of the server's mistakes
}

// serve runs until it is ended. When it listens it says what it is, one line of JSON.
func serve(own serving) error {
	files, err := readSite(own.root)
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(own.certificate, own.key)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(own.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	address, err := net.ResolveUDPAddr("udp", net.JoinHostPort(own.address, own.port))
	if err != nil {
		return err
	}
	socket, err := net.ListenUDP("udp", address)
	if err != nil {
		return err
	}
	defer socket.Close()
	server := &http3.Server{
		// Early data is what http3 allows by itself; the tracer writes nothing unless QLOGDIR names a folder.
		QUICConfig:  &quic.Config{Allow0RTT: true, Tracer: qlog.DefaultConnectionTracer},
		Handler:     files,
		TLSConfig:   http3.ConfigureTLSConfig(&tls.Config{Certificates: []tls.Certificate{pair}}),
		ConnContext: (&connections{log: log}).began,
	}
	if err := say(os.Stdout, map[string]any{"version": version(), "cca": controller}); err != nil {
		return err
	}
	return server.Serve(socket)
}

// connections are counted, and logged when they begin. Sessions may be resumed, with early data.
type turns struct{} // the key of a connection's lock, which the answer that leaves now has

type connections struct {
	mutex  sync.Mutex
	number int
	log    *os.File
}

func (c *connections) began(ctx context.Context, connection *quic.Conn) context.Context {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.number++
	name := fmt.Sprintf("%d:%s", c.number, connection.RemoteAddr())
	_ = say(c.log, map[string]any{"connection": name, "early_data": connection.ConnectionState().Used0RTT})
	return context.WithValue(ctx, turns{}, &sync.Mutex{})
}

func say(to *os.File, what map[string]any) error {
	return json.NewEncoder(to).Encode(what)
}
