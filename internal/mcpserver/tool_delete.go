package mcpserver

import (
	"context"
	"fmt"
	"strings"
)

type deleteArgs struct {
	ID   int64 `json:"id" required:"true" min:"1" alias:"observation_id"`
	Hard bool  `json:"hard_delete" default:"false" doc:"Erase for good, with history; cannot be undone"`
}

type deleteResult struct {
	ID       int64    `json:"id"`
	Status   string   `json:"status"`
	Restore  bool     `json:"restorable,omitempty"`
	Versions int      `json:"versions,omitempty"`
	Derived  int      `json:"derived,omitempty"`
	Copies   []string `json:"copies_left,omitempty"`
	noted
}

func deleteTool() tool {
	return newTool(tool{
		name: "mem_delete", title: "Forget a memory", admin: true, destructive: true,
		description: "Delete a memory that is wrong or unwanted. Hidden and restorable by default; hard_delete erases it for good.",
	}, (*call).delete)
}

func (c *call) delete(ctx context.Context, in deleteArgs) (*deleteResult, error) {
	receipt, err := c.Delete(ctx, in.ID, in.Hard)
	if err != nil {
		return nil, err
	}
	out := &deleteResult{ID: receipt.ID, Status: "deleted", Restore: !receipt.Hard, Copies: receipt.Copies}
	if receipt.Hard {
		out.Status, out.Versions, out.Derived = "erased", receipt.Versions, receipt.Derived
	}
	return out, nil
}

func (r *deleteResult) words() string {
	if r.Status == "deleted" {
		return fmt.Sprintf("Deleted #%d; it can be restored with the command: engram restore %d", r.ID, r.ID)
	}
	s := fmt.Sprintf("Erased #%d for good, with %s and %s that rested on it alone.", r.ID,
		plural(r.Versions, "older version", "older versions"), plural(r.Derived, "memory", "memories"))
	if len(r.Copies) > 0 {
		s += " Copies may remain in: " + strings.Join(r.Copies, ", ") + "."
	}
	return s
}
