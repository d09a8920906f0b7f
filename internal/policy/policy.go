// Package policy decides who may do what. It is pure: no I/O, no clock.
// Who is asking is auth's affair; service asks before every use case.
package policy

import (
	"context"

	"engram"
)

// Action is something that an actor may or may not do.
type Action int

// The actions, each with the access that it takes.
const (
	ReadMemory   Action = iota // look at, search, list
	WriteMemory                // save, edit, delete softly, pin, sessions, prompts
	EraseMemory                // hard delete
	ManageStore                // merge projects, import, backup, settings
	ExportMemory               // read everything at once
)

var needs = map[Action]engram.Access{
	ReadMemory:   engram.AccessRead,
	WriteMemory:  engram.AccessWrite,
	EraseMemory:  engram.AccessAdmin,
	ManageStore:  engram.AccessAdmin,
	ExportMemory: engram.AccessAdmin,
}

// Check is nil when the actor of ctx may do a in its workspace, else
// [engram.ErrUnauthenticated] without an actor, [engram.ErrForbidden] with one.
// The actor it returns carries the workspace for the query.
func Check(ctx context.Context, a Action) (engram.Actor, error) {
	actor := engram.ActorFrom(ctx)
	if actor.Access == engram.AccessNone || actor.Workspace == "" {
		return engram.Actor{}, engram.Errorf(engram.ErrUnauthenticated, "nobody is signed in").
			WithHint("send the token from the file token in ENGRAM_DATA_DIR")
	}
	if actor.Access < needs[a] {
		return engram.Actor{}, engram.Errorf(engram.ErrForbidden, "%s may not do this", actor.Name).
			WithHint("use a key with more access")
	}
	return actor, nil
}
