package mcpserver

import (
	"sync"

	"engram"
)

// client is one connected client and what it did that later calls depend on.
//
// A session that it started is where later writes without a session_id go, and
// its project is that of later calls without a project. A call that names
// another project goes there, into the manual session of that project.
type client struct {
	mu               sync.Mutex
	session, project string
}

func (c *client) started(session, project string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.project = session, project
}

func (c *client) ended(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == session {
		c.session, c.project = "", ""
	}
}

// place fills in the session and project of a write.
func (c *client) place(session, project string) (string, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case session == "" && (project == "" || c.project != "" && engram.NormalizeProject(project) == engram.NormalizeProject(c.project)):
		return c.session, c.project
	case session == c.session && project == "":
		return session, c.project
	}
	return session, project
}

// scopeOf fills in the project of a read.
func (c *client) scopeOf(project string) string {
	if project != "" {
		return project
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.project
}
