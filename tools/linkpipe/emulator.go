package main

import (
	"errors"
	"fmt"
	"net"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// options are the command-line settings that cannot be changed while running.
type options struct {
	serverIf, clientIf string
	control            string
	windowNs           int64
	threads            int
	priority           string
}

// emulator is the running link: two lanes on one or two workers, driven through
// the methods that the control socket calls.
type emulator struct {
	clk     clock
	toCli   *lane
	toSrv   *lane
	owner   map[*lane]*worker
	workers []*worker
	mu      sync.Mutex // one control operation at a time
	log     *packetLog
	fatal   chan error
	tracker *connectionTracker
	// So many have been asked for since the start; who has configured a link can tell by them whether another did since.
	configured, reseeded int64
}

// newEmulator opens the sockets of both interfaces.
func newEmulator(opt options) (*emulator, error) {
	server, err := findInterface(opt.serverIf, "-server-if")
	if err != nil {
		return nil, err
	}
	client, err := findInterface(opt.clientIf, "-client-if")
	if err != nil {
		return nil, err
	}
	if server.Index == client.Index {
		return nil, fmt.Errorf("-server-if and -client-if are both %s: name the two different interfaces of the bridge", server.Name)
	}
	e := &emulator{clk: newClock(), owner: map[*lane]*worker{}, fatal: make(chan error, 4), tracker: newConnectionTracker(opt.windowNs)}
	if e.toCli, err = openLane("server_to_client", streamServerToClient, server, client, e.clk); err != nil {
		return nil, explain(err)
	}
	if e.toSrv, err = openLane("client_to_server", streamClientToServer, client, server, e.clk); err != nil {
		return nil, explain(err)
	}
	e.toCli.tracker, e.toSrv.tracker = e.tracker, e.tracker
	return e, e.assign(opt)
}

// assign spreads the lanes over the workers.
func (e *emulator) assign(opt options) error {
	groups := [][]*lane{{e.toCli, e.toSrv}}
	if opt.threads == 2 {
		groups = [][]*lane{{e.toCli}, {e.toSrv}}
	}
	for _, lanes := range groups {
		w, err := newWorker(lanes, e.clk, opt.windowNs, opt.priority, e.fatal)
		if err != nil {
			return err
		}
		for _, l := range lanes {
			e.owner[l] = w
		}
		e.workers = append(e.workers, w)
	}
	return nil
}

func findInterface(name, flag string) (*net.Interface, error) {
	ifc, err := net.InterfaceByName(name)
	if err != nil {
		return nil, fmt.Errorf("%s: no interface %q in this network namespace: create it, or run linkpipe in the bridge's namespace (ip netns exec <bridge> linkpipe ...); ip link lists the interfaces", flag, name)
	}
	if ifc.Flags&net.FlagUp == 0 {
		return nil, fmt.Errorf("%s: interface %q is down: ip link set %s up", flag, name, name)
	}
	return ifc, nil
}

func explain(err error) error {
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		return fmt.Errorf("packet sockets need root or CAP_NET_RAW and CAP_NET_ADMIN: run linkpipe with sudo (%v)", err)
	}
	return err
}

func openLane(name string, id uint64, in, out *net.Interface, clk clock) (*lane, error) {
	l := &lane{name: name, dir: newDirection(id, clk.now())}
	mtu := in.MTU
	if out.MTU < mtu {
		mtu = out.MTU
	}
	var err error
	if l.frames, err = newArena(mtu + 18); err != nil {
		return nil, err
	}
	if l.rx, err = openRing(in); err != nil {
		return nil, err
	}
	if l.tx, err = openSender(out); err != nil {
		return nil, err
	}
	return l, nil
}

// start sets the workers going. They keep a processor of Go's scheduler each,
// so there must be more of those for the control socket and the log.
func (e *emulator) start() {
	runtime.GOMAXPROCS(len(e.workers) + 2)
	for _, w := range e.workers {
		go w.run()
	}
}

// stop ends the workers and the log. Packets still inside are discarded.
func (e *emulator) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopLog()
	for _, w := range e.workers {
		w.stop()
	}
	for _, l := range e.lanes() {
		l.rx.close()
		l.tx.close()
	}
}

func (e *emulator) lanes() []*lane { return []*lane{e.toCli, e.toSrv} }

// on runs f for a lane on the thread that owns it, after the frames that have
// arrived by then have been taken in.
func (e *emulator) on(l *lane, f func(now int64)) {
	e.owner[l].do(func() {
		for l.receive(e.clk) {
		}
		f(e.clk.now())
	})
}

// configure puts the given directions into force and returns both.
func (e *emulator) configure(cfg linkConfig) linkConfig {
	e.mu.Lock()
	defer e.mu.Unlock()
	set := func(l *lane, c *dirConfig) {
		if c != nil {
			e.on(l, func(now int64) {
				l.dir.configure(now, *c)
				l.frames.reserve(l.dir.reserveBytes(l.frames.slotBytes))
			})
		}
	}
	e.configured++
	set(e.toCli, cfg.ServerToClient)
	set(e.toSrv, cfg.ClientToServer)
	return e.noted("configured")
}

// reseed restarts the random streams of both directions with one seed, and their traces
// at one offset, or the one that they had.
func (e *emulator) reseed(seed uint64, traceOffsetMs *int64) linkConfig {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.reseeded++
	for _, l := range e.lanes() {
		l := l
		e.on(l, func(now int64) { l.dir.reseed(now, seed, traceOffsetMs) })
	}
	return e.noted("reseeded")
}

func (e *emulator) noted(what string) linkConfig {
	cfg := e.current()
	if e.log != nil {
		e.log.note(what, cfg)
	}
	return cfg
}

func (e *emulator) config() linkConfig {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.current()
}

func (e *emulator) current() linkConfig {
	var a, b dirConfig
	e.owner[e.toCli].do(func() { a = e.toCli.dir.cfg })
	e.owner[e.toSrv].do(func() { b = e.toSrv.dir.cfg })
	return linkConfig{&a, &b, e.configured, e.reseeded}
}

// counters reports both directions, and zeroes them afterwards if asked to.
func (e *emulator) counters(reset bool) countersReport {
	e.mu.Lock()
	defer e.mu.Unlock()
	var r countersReport
	for _, l := range e.lanes() {
		l := l
		out := &r.ServerToClient
		if l == e.toSrv {
			out = &r.ClientToServer
		}
		e.on(l, func(now int64) {
			l.dir.count.SocketDrops += l.rx.drops()
			*out = l.dir.snapshot(now)
			if reset {
				l.dir.resetCounters()
			}
		})
	}
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) == nil {
		r.CPUUserS = float64(usage.Utime.Nano()) / nsPerSecond
		r.CPUSystemS = float64(usage.Stime.Nano()) / nsPerSecond
	}
	r.UptimeS = float64(e.clk.now()) / nsPerSecond
	return r
}

// connections reports the connections that clients have opened over the link.
func (e *emulator) connections() map[string]map[string]connectionCount {
	for _, l := range e.lanes() {
		e.on(l, func(int64) {}) // takes in the frames that have arrived
	}
	return e.tracker.report()
}

// setLog starts a packet log, replacing one that is running; an empty path stops it.
func (e *emulator) setLog(path string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.stopLog(); err != nil || path == "" {
		return err
	}
	log, err := openLog(path, e.clk.wallOffset(), e.current())
	if err != nil {
		return err
	}
	e.log = log
	for _, l := range e.lanes() {
		l := l
		e.on(l, func(int64) { l.log = log.lane(l.name) })
	}
	return nil
}

func (e *emulator) stopLog() error {
	if e.log == nil {
		return nil
	}
	for _, l := range e.lanes() {
		l := l
		e.on(l, func(int64) {
			if l.log != nil {
				l.log.flush()
				l.log = nil
			}
		})
	}
	err := e.log.close()
	e.log = nil
	return err
}
