package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
)

const maxRequestBytes = 1 << 20

// controller is what the control socket can ask for.
type controller interface {
	configure(linkConfig) linkConfig
	reseed(seed uint64, traceOffsetMs *int64) linkConfig
	config() linkConfig
	counters(reset bool) countersReport
	connections() map[string]map[string]connectionCount
	setLog(path string) error
}

var operations = []string{"configure", "reseed", "counters", "log", "config", "connections", "ping"}

// listenControl opens the Unix socket and removes one that a dead linkpipe has
// left. A socket that still answers is not taken away.
func listenControl(path string) (net.Listener, error) {
	if conn, err := net.Dial("unix", path); err == nil {
		conn.Close()
		return nil, fmt.Errorf("control socket %s is in use by another process: stop it or choose another -control path", path)
	} else if info, statErr := os.Lstat(path); statErr == nil {
		if info.Mode()&os.ModeSocket == 0 {
			return nil, fmt.Errorf("%s exists and is not a socket: choose another -control path", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("cannot remove the stale control socket: %v", err)
		}
	}
	l, err := net.Listen("unix", path)
	if errors.Is(err, syscall.ENOENT) {
		return nil, fmt.Errorf("cannot create control socket %s: its folder does not exist: create it first", path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot create control socket: %v", err)
	}
	return l, nil
}

// serveControl answers clients until the listener is closed.
func serveControl(l net.Listener, c controller) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go serveClient(conn, c)
	}
}

func serveClient(conn net.Conn, c controller) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	lines.Buffer(make([]byte, 4096), maxRequestBytes)
	out := json.NewEncoder(conn)
	for lines.Scan() {
		if len(strings.TrimSpace(lines.Text())) == 0 {
			continue
		}
		if err := out.Encode(answer(lines.Bytes(), c)); err != nil {
			return
		}
	}
	if err := lines.Err(); err != nil {
		out.Encode(failure(fmt.Errorf("request not readable: %v", err)))
	}
}

type reply map[string]interface{}

func failure(err error) reply { return reply{"ok": false, "error": err.Error()} }

// answer carries out one request line.
func answer(line []byte, c controller) reply {
	var head struct {
		Op *string `json:"op"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return failure(fmt.Errorf("not a JSON object with a string \"op\": %v", err))
	}
	if head.Op == nil {
		return failure(fmt.Errorf("no \"op\" in the request, known ops: %s", strings.Join(operations, ", ")))
	}
	r, err := dispatch(*head.Op, line, c)
	if err != nil {
		return failure(err)
	}
	r["ok"] = true
	return r
}

func dispatch(op string, line []byte, c controller) (reply, error) {
	switch op {
	case "configure":
		return doConfigure(line, c)
	case "reseed":
		return doReseed(line, c)
	case "counters":
		return doCounters(line, c)
	case "log":
		return doLog(line, c)
	case "config", "connections", "ping":
		var request struct {
			Op string `json:"op"`
		}
		if err := decodeStrict(line, &request, op); err != nil {
			return nil, err
		}
		if op == "ping" {
			return reply{"event": "pong", "version": version}, nil
		}
		if op == "connections" {
			found := c.connections()
			return reply{"tcp": found["tcp"], "quic": found["quic"], "other": found["other"]}, nil
		}
		return configReply(c.config()), nil
	}
	return nil, fmt.Errorf("unknown op %q, known ops: %s", op, strings.Join(operations, ", "))
}

func configReply(cfg linkConfig) reply {
	return reply{"server_to_client": cfg.ServerToClient, "client_to_server": cfg.ClientToServer,
		"configured": cfg.Configured, "reseeded": cfg.Reseeded}
}

func doConfigure(line []byte, c controller) (reply, error) {
	var request struct {
		Op             string          `json:"op"`
		ServerToClient json.RawMessage `json:"server_to_client"`
		ClientToServer json.RawMessage `json:"client_to_server"`
	}
	if err := decodeStrict(line, &request, "configure"); err != nil {
		return nil, err
	}
	cfg, err := rawLink{request.ServerToClient, request.ClientToServer}.check()
	if err != nil {
		return nil, err
	}
	return configReply(c.configure(cfg)), nil
}

func doReseed(line []byte, c controller) (reply, error) {
	var request struct {
		Op            string  `json:"op"`
		Seed          *uint64 `json:"seed"`
		TraceOffsetMs *int64  `json:"trace_offset_ms"`
	}
	if err := decodeStrict(line, &request, "reseed"); err != nil {
		return nil, err
	}
	if request.Seed == nil {
		return nil, fmt.Errorf("reseed needs a \"seed\" (an unsigned 64-bit integer)")
	}
	if offset := request.TraceOffsetMs; offset != nil && (*offset < 0 || *offset > maxTraceMs) {
		return nil, fmt.Errorf("trace_offset_ms is %d, must be between 0 and %g", *offset, maxTraceMs)
	}
	return configReply(c.reseed(*request.Seed, request.TraceOffsetMs)), nil
}

func doCounters(line []byte, c controller) (reply, error) {
	var request struct {
		Op    string `json:"op"`
		Reset bool   `json:"reset"`
	}
	if err := decodeStrict(line, &request, "counters"); err != nil {
		return nil, err
	}
	r := c.counters(request.Reset)
	return reply{"server_to_client": r.ServerToClient, "client_to_server": r.ClientToServer,
		"cpu_user_s": r.CPUUserS, "cpu_system_s": r.CPUSystemS, "uptime_s": r.UptimeS}, nil
}

func doLog(line []byte, c controller) (reply, error) {
	var request struct {
		Op   string  `json:"op"`
		Path *string `json:"path"`
	}
	if err := decodeStrict(line, &request, "log"); err != nil {
		return nil, err
	}
	if request.Path == nil {
		return nil, fmt.Errorf("log needs a \"path\" (a file to write, or \"\" to stop)")
	}
	if err := c.setLog(*request.Path); err != nil {
		return nil, err
	}
	return reply{"path": *request.Path}, nil
}
