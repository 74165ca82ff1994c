// Linkpipe emulates a network link in user space: see README.md.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

const version = "0.7.0"

func main() {
	var opt options
	flag.StringVar(&opt.serverIf, "server-if", "", "interface towards the server")
	flag.StringVar(&opt.clientIf, "client-if", "", "interface towards the client")
	flag.StringVar(&opt.control, "control", "", "path of the Unix control socket to create")
	configPath := flag.String("config", "", "JSON file with the configuration to start with (default: an unlimited wire)")
	coalesceUs := flag.Float64("coalesce-us", 100, "a packet may leave this many microseconds early, together with one that is due")
	flag.IntVar(&opt.threads, "threads", 1, "1: one thread for both directions, 2: one each")
	flag.StringVar(&opt.priority, "priority", "fifo", "of the forwarding threads: none, nice (-20) or fifo (real time)")
	showVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if *showVersion {
		fmt.Printf("linkpipe %s\n", version)
		return
	}
	opt.windowNs = int64(*coalesceUs * 1000)
	if err := checkOptions(opt, flag.Args()); err != nil {
		fail(err, 2)
	}
	debug.SetGCPercent(800)
	cfg := linkConfig{}
	if *configPath != "" {
		var err error
		if cfg, err = readConfig(*configPath); err != nil {
			fail(err, 2)
		}
	}
	run(opt, cfg)
}

func fail(err error, code int) {
	fmt.Fprintf(os.Stderr, "linkpipe: %v\n", err)
	os.Exit(code)
}

func checkOptions(opt options, rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q: linkpipe -help lists the flags", rest[0])
	case opt.serverIf == "" || opt.clientIf == "" || opt.control == "":
		return fmt.Errorf("-server-if, -client-if and -control are needed: linkpipe -help lists the flags")
	case opt.threads != 1 && opt.threads != 2:
		return fmt.Errorf("-threads is %d, must be 1 or 2", opt.threads)
	case opt.priority != "none" && opt.priority != "nice" && opt.priority != "fifo":
		return fmt.Errorf("-priority is %q, must be none, nice or fifo", opt.priority)
	case opt.windowNs < 0 || opt.windowNs > 10e6:
		return fmt.Errorf("-coalesce-us must be between 0 and 10000")
	}
	return nil
}

func readConfig(path string) (linkConfig, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return linkConfig{}, fmt.Errorf("-config: %v", err)
	}
	cfg, err := parseLink(raw)
	if err != nil {
		return linkConfig{}, fmt.Errorf("-config %s: %v", path, err)
	}
	return cfg, nil
}

// run forwards until a signal comes or an interface goes.
func run(opt options, cfg linkConfig) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	e, err := newEmulator(opt)
	if err != nil {
		fail(err, 2)
	}
	listener, err := listenControl(opt.control)
	if err != nil {
		fail(err, 2)
	}
	if err := tuneProcess(opt.priority); err != nil {
		fmt.Fprintf(os.Stderr, "linkpipe: warning: %v\n", err)
	}
	e.start()
	if cfg.ServerToClient != nil || cfg.ClientToServer != nil {
		e.configure(cfg)
	}
	go serveControl(listener, e)
	say(map[string]interface{}{"event": "ready", "version": version, "control": opt.control})
	select {
	case <-signals:
		err = nil
	case err = <-e.fatal:
	}
	listener.Close() // also unlinks the socket
	report := e.counters(false)
	say(struct {
		Event string `json:"event"`
		countersReport
	}{"exit", report})
	e.stop()
	if err != nil {
		fail(err, 1)
	}
}

// say prints one line of JSON on standard output.
func say(v interface{}) { json.NewEncoder(os.Stdout).Encode(v) }
