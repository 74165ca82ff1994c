package main

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeLink records what the control socket asks for.
type fakeLink struct {
	cfg  linkConfig
	seed uint64
	log  string
}

func (f *fakeLink) configure(c linkConfig) linkConfig {
	if c.ServerToClient != nil {
		f.cfg.ServerToClient = c.ServerToClient
	}
	if c.ClientToServer != nil {
		f.cfg.ClientToServer = c.ClientToServer
	}
	return f.cfg
}
func (f *fakeLink) reseed(s uint64, _ *int64) linkConfig { f.seed = s; return f.cfg }
func (f *fakeLink) config() linkConfig                   { return f.cfg }
func (f *fakeLink) counters(reset bool) countersReport   { return countersReport{UptimeS: 1} }
func (f *fakeLink) connections() map[string]map[string]connectionCount {
	return newConnectionTracker(0).report()
}
func (f *fakeLink) setLog(path string) error { f.log = path; return nil }

func newFakeLink() *fakeLink {
	return &fakeLink{cfg: linkConfig{ServerToClient: &dirConfig{}, ClientToServer: &dirConfig{}}}
}

func TestBadRequestsSayWhatIsKnown(t *testing.T) {
	cases := map[string]string{
		`nonsense`:                               "not a JSON object",
		`{"seed":1}`:                             "known ops: configure, reseed, counters, log, config, connections, ping",
		`{"op":"explode"}`:                       "known ops: configure",
		`{"op":"reseed"}`:                        "needs a \"seed\"",
		`{"op":"reseed","seed":-1}`:              "seed",
		`{"op":"counters","rest":1}`:             "known keys: op, reset",
		`{"op":"ping","x":1}`:                    "known keys: op",
		`{"op":"log"}`:                           "needs a \"path\"",
		`{"op":"configure"}`:                     "nothing to configure",
		`{"op":"configure","up":{}}`:             "known keys: op, server_to_client, client_to_server",
		dirRequest(`"delay":1`):                  "known keys: bandwidth_mbps, delay_ms, loss_pct, queue_bytes, queue_packets, seed, jitter",
		dirRequest(`"Delay_ms":1`):               "unknown key",
		dirRequest(`"delay_ms":-1`):              "delay_ms is -1",
		dirRequest(`"loss_pct":101`):             "between 0 and 100",
		dirRequest(`"delay_ms":"18"`):            "delay_ms",
		dirRequest(`"queue_packets":-1`):         "queue_packets is -1",
		dirRequest(`"queue_packets":9876543210`): "queue_packets is 9.87654321e+09",
		dirRequest(`"queue_packets":0.5`):        "queue_packets",
		dirRequest(`"queue_packets":"50"`):       "queue_packets",
		dirRequest(`"jitter":{"mode":"wild"}`):   "known modes: none, uniform, redraw, normal",
		dirRequest(`"jitter":{"kind":"none"}`):   "known keys: mode, range_ms, interval_ms",
		dirRequest(`"delay_ms":10,"jitter":{"mode":"uniform","range_ms":50}`):              "cannot be negative",
		dirRequest(`"delay_ms":50,"jitter":{"mode":"redraw","range_ms":50}`):               "interval_ms",
		dirRequest(`"delay_ms":50,"jitter":{"mode":"redraw","range_ms":9,"interval_s":1}`): "interval_s",

		dirRequest(`"corrupt_pct":101`):                                                "corrupt_pct is 101",
		dirRequest(`"duplicate_pct":-1`):                                               "duplicate_pct is -1",
		dirRequest(`"corrupt_pct":1,"corrupt_correlation_pct":100`):                    "between 0 and 99.9",
		dirRequest(`"duplicate_correlation_pct":25`):                                   "but duplicate_pct is 0",
		dirRequest(`"burst_bytes":12800000`):                                           "but bandwidth_mbps is 0: nothing limits the rate",
		dirRequest(`"bandwidth_mbps":10,"burst_bytes":1000000000`):                     "burst_bytes is 1e+09, must be between 0 and 1e+08",
		dirRequest(`"loss_correlation_pct":25`):                                        "but loss_pct is 0",
		dirRequest(`"gemodel":{"p":1}`):                                                "known keys: p_pct, r_pct, one_minus_h_pct, one_minus_k_pct",
		dirRequest(`"gemodel":{"p_pct":1,"one_minus_h_pct":100}`):                      "never be left",
		dirRequest(`"gemodel":{"p_pct":1,"r_pct":50}`):                                 "no state loses anything",
		dirRequest(`"gemodel":{"p_pct":1,"r_pct":101,"one_minus_h_pct":1}`):            "gemodel.r_pct is 101",
		dirRequest(`"loss_pct":1,"gemodel":{"p_pct":1,"r_pct":5,"one_minus_h_pct":1}`): "one model of loss",
		dirRequest(`"jitter":{"mode":"normal"}`):                                       "jitter.sd_ms is 0",
		dirRequest(`"jitter":{"mode":"normal","sd_ms":1,"range_ms":9}`):                "are not of mode normal",
		dirRequest(`"delay_ms":9,"jitter":{"mode":"uniform","sd_ms":1}`):               "belong to mode normal",
		dirRequest(`"jitter":{"correlation_pct":25}`):                                  "belong to mode normal",
	}
	for request, want := range cases {
		r := answer([]byte(request), newFakeLink())
		text, _ := r["error"].(string)
		if r["ok"] != false || !strings.Contains(text, want) {
			t.Errorf("%s\n  got %v\n  want an error with %q", request, r, want)
		}
	}
}

func dirRequest(keys string) string {
	return `{"op":"configure","server_to_client":{` + keys + `}}`
}

func TestConfigureLeavesTheOtherDirectionAndForgetsOldKeys(t *testing.T) {
	f := newFakeLink()
	f.cfg.ServerToClient.DelayMs = 5
	r := answer([]byte(`{"op":"configure","client_to_server":{"delay_ms":7,"seed":18446744073709551615}}`), f)
	if r["ok"] != true || f.cfg.ServerToClient.DelayMs != 5 || f.cfg.ClientToServer.Seed != 1<<64-1 {
		t.Errorf("reply %v, configuration %+v %+v", r, f.cfg.ServerToClient, f.cfg.ClientToServer)
	}
	answer([]byte(`{"op":"configure","client_to_server":{"loss_pct":1}}`), f)
	if f.cfg.ClientToServer.DelayMs != 0 || f.cfg.ClientToServer.Jitter.Mode != jitterNone {
		t.Errorf("keys left out kept their values: %+v", f.cfg.ClientToServer)
	}
}

// A reply names what came after version 0.2.0 only where it is set: a link as it was then reads as it did.
func TestWhatIsNotSetIsNotTold(t *testing.T) {
	f := newFakeLink()
	answer([]byte(dirRequest(`"loss_pct":1`)), f)
	plain := compact(f.cfg.ServerToClient)
	want := `{"bandwidth_mbps":0,"delay_ms":0,"loss_pct":1,"queue_bytes":0,"queue_packets":0,"seed":0,` +
		`"jitter":{"mode":"none","range_ms":0,"interval_ms":0}}`
	if plain != want {
		t.Errorf("%s, want %s", plain, want)
	}
	answer([]byte(dirRequest(`"corrupt_pct":1,"corrupt_correlation_pct":25,"duplicate_pct":2,"gemodel":`+
		`{"p_pct":1,"r_pct":50,"one_minus_h_pct":100},"jitter":{"mode":"normal","sd_ms":5,"correlation_pct":25}`)), f)
	for _, told := range []string{`"corrupt_pct":1,"corrupt_correlation_pct":25,"duplicate_pct":2`, `"sd_ms":5,"correlation_pct":25`,
		`"gemodel":{"p_pct":1,"r_pct":50,"one_minus_h_pct":100,"one_minus_k_pct":0}`} {
		if got := compact(f.cfg.ServerToClient); !strings.Contains(got, told) {
			t.Errorf("%s without %s", got, told)
		}
	}
}

func TestSocketAnswersEveryLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "control")
	stale, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	stale.(*net.UnixListener).SetUnlinkOnClose(false)
	stale.Close() // leaves the file, as a killed process does
	l, err := listenControl(path)
	if err != nil {
		t.Fatal(err)
	}
	f := newFakeLink()
	go serveControl(l, f)
	if _, err := listenControl(path); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a live socket was taken over: %v", err)
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	for _, request := range []string{`{"op":"ping"}`, `{"op":"reseed","seed":9}`, `{"op":"log","path":"/x"}`, `{"op":"counters","reset":true}`, `{"op":"config"}`, `{"op":"connections"}`} {
		conn.Write([]byte(request + "\n"))
		var r map[string]interface{}
		if !lines.Scan() || json.Unmarshal(lines.Bytes(), &r) != nil || r["ok"] != true {
			t.Fatalf("%s: %s", request, lines.Text())
		}
	}
	if f.seed != 9 || f.log != "/x" {
		t.Errorf("asked for seed %d, log %q", f.seed, f.log)
	}
	l.Close()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is left behind: %v", err)
	}
}

func TestListenDoesNotDeleteAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(path, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := listenControl(path); err == nil || !strings.Contains(err.Error(), "not a socket") {
		t.Errorf("got %v", err)
	}
}
