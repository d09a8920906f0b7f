package mcpserver

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// turn says beside what a request may run.
type turn int

const (
	free   turn = iota // beside anything
	shared             // a tool that only reads: beside others that do
	alone              // a tool that writes: after all calls before it, before all after it
)

const (
	maxReaders = 8   // shared calls that run at once
	maxWaiting = 256 // requests that are read ahead
)

// exchange is a message on its way through the server.
type exchange struct {
	*incoming
	turn      turn
	batch     *batch // it came in, nil = none
	parked    bool   // runs until it is cancelled
	cancelled bool
}

// schedule holds what was read and not yet answered, and says what runs next.
// Tool calls take effect in the order in which they were sent: a client that
// sends a save and a search without waiting finds what it saved.
type schedule struct {
	mu      sync.Mutex
	changed sync.Cond
	waiting []*exchange
	running map[int64]*exchange // by the SDK's id
	lastID  int64
	readers int
	writing bool
	ended   bool // nothing more is taken
	closed  bool // give up, whatever runs
}

func newSchedule() *schedule {
	s := &schedule{running: map[int64]*exchange{}}
	s.changed.L = &s.mu
	return s
}

// put adds messages that came together, in their order. It waits while too many
// are waiting. After end they are dropped.
func (s *schedule) put(xs ...*exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting) >= maxWaiting && !s.closed && !s.ended {
		s.changed.Wait()
	}
	if s.ended {
		return
	}
	s.waiting = append(s.waiting, xs...)
	s.changed.Broadcast()
}

// next is the next message that may run, as the SDK wants it. It is io.EOF when
// all is answered and nothing more will come, or after close.
func (s *schedule) next() (jsonrpc.Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if s.closed || s.ended && s.idle() {
			return nil, io.EOF
		}
		if x := s.pick(); x != nil {
			return s.start(x), nil
		}
		s.changed.Wait()
	}
}

func (s *schedule) idle() bool {
	if len(s.waiting) > 0 {
		return false
	}
	for _, x := range s.running {
		if !x.parked {
			return false
		}
	}
	return true
}

// pick takes the first message that may run out of those that wait.
func (s *schedule) pick() *exchange {
	passed := false // a tool call that must wait
	for i, x := range s.waiting {
		may := true
		switch x.turn {
		case shared:
			may = !passed && !s.writing && s.readers < maxReaders
		case alone:
			may = !passed && !s.writing && s.readers == 0
		}
		if may {
			s.waiting = slices.Delete(s.waiting, i, i+1)
			s.changed.Broadcast()
			return x
		}
		passed = true
	}
	return nil
}

func (s *schedule) start(x *exchange) *jsonrpc.Request {
	req := &jsonrpc.Request{Method: x.method, Params: x.params}
	if x.id == nil {
		return req
	}
	s.lastID++
	req.ID = sdkID(s.lastID)
	s.running[s.lastID] = x
	switch x.turn {
	case shared:
		s.readers++
	case alone:
		s.writing = true
	}
	return req
}

// sdkID is a number as the SDK's id of a request.
func sdkID(n int64) jsonrpc.ID {
	id, err := jsonrpc.MakeID(float64(n)) // whole numbers up to 2^53 are ids
	if err != nil {
		panic("mcpserver: " + err.Error())
	}
	return id
}

// get is the request that runs under the SDK's id.
func (s *schedule) get(id int64) *exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running[id]
}

// done forgets a request that was answered.
func (s *schedule) done(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.running[id].turn {
	case shared:
		s.readers--
	case alone:
		s.writing = false
	}
	delete(s.running, id)
	s.changed.Broadcast()
}

// cancel marks the request with a client's id. One that waits is taken out and
// returned; for one that runs, its SDK id is.
func (s *schedule) cancel(id json.RawMessage) (dropped *exchange, running int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, x := range s.waiting {
		if bytes.Equal(x.id, id) {
			s.waiting = slices.Delete(s.waiting, i, i+1)
			s.changed.Broadcast()
			return x, 0
		}
	}
	for n, x := range s.running {
		if bytes.Equal(x.id, id) {
			x.cancelled = true
			return nil, n
		}
	}
	return nil, 0
}

// isCancelled reports whether the client took x back.
func (s *schedule) isCancelled(x *exchange) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return x.cancelled
}

// end takes nothing more: next ends when all is answered.
func (s *schedule) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.changed.Broadcast()
}

// close ends next at once.
func (s *schedule) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.changed.Broadcast()
}
