package sqlstore

import (
	"context"

	"engram"
)

// A session's summary is a copy of the text of the memory that it was saved as.
// What changes or hides that memory calls one of these before it does so.

// summaryIs finds the session whose summary is the text of memory $1.
const summaryIs = ` WHERE summary <> '' AND (workspace, id, summary) = (SELECT workspace, session, content FROM memories
	WHERE id = $1 AND type = '` + engram.TypeSessionSummary + `')`

// nextSummary is the text of the newest other living summary of memory $1's session.
const nextSummary = `COALESCE((SELECT o.content FROM memories o JOIN memories m ON o.workspace = m.workspace AND o.session = m.session
	WHERE m.id = $1 AND o.id <> m.id AND o.type = '` + engram.TypeSessionSummary + `' AND o.deleted_at IS NULL
	ORDER BY o.created_at DESC, o.id DESC LIMIT 1), '')`

// rewriteSummary gives the session of a summary the text and type that the
// summary is about to have.
func rewriteSummary(ctx context.Context, tx *Tx, id int64, typ, content string) error {
	if typ != engram.TypeSessionSummary {
		return leaveSummary(ctx, tx, id)
	}
	_, err := tx.Exec(ctx, `UPDATE sessions SET summary = $2`+summaryIs, id, content)
	return err
}

// leaveSummary gives the session of a summary that is about to go the one
// before it.
func leaveSummary(ctx context.Context, tx *Tx, id int64) error {
	_, err := tx.Exec(ctx, `UPDATE sessions SET summary = `+nextSummary+summaryIs, id)
	return err
}

// returnSummary gives the session of a summary that came back its text again,
// where it has none, or that of an older one.
func returnSummary(ctx context.Context, tx *Tx, id int64) error {
	_, err := tx.Exec(ctx, `UPDATE sessions SET summary = (SELECT content FROM memories WHERE id = $1)
		WHERE (workspace, id) = (SELECT workspace, session FROM memories WHERE id = $1 AND type = '`+engram.TypeSessionSummary+`')
		AND (summary = '' OR EXISTS (SELECT 1 FROM memories o JOIN memories m ON m.id = $1
			WHERE o.workspace = sessions.workspace AND o.session = sessions.id AND o.type = '`+engram.TypeSessionSummary+`'
			AND o.deleted_at IS NULL AND o.content = sessions.summary AND (o.created_at, o.id) < (m.created_at, m.id)))`, id)
	return err
}
