package memory

import (
	"encoding/base64"
	"encoding/binary"
	"time"

	"engram"
	"engram/internal/store"
)

// cursorVersion is the first byte of a cursor: a later form gets another, so
// that an old one is told apart and not misread.
const cursorVersion = 1

// The lists that have cursors: those of memories are their orders.
const (
	sessionCursor = 's'
	promptCursor  = 'p'
)

const cursorHead = 1 + 1 + 8 // version, list, time in microseconds; the key follows

// cursor names the last item of a page; callers send it back as it is.
func cursor(list byte, at time.Time, key []byte) string {
	b := []byte{cursorVersion, list}
	b = binary.BigEndian.AppendUint64(b, uint64(at.UnixMicro()))
	return base64.RawURLEncoding.EncodeToString(append(b, key...))
}

// numberKey is the key of what has a number as its id.
func numberKey(id int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

// parseCursor sets where page goes on, from what [cursor] wrote for the same list.
func parseCursor(s string, list byte, page *store.Page) error {
	if s == "" {
		return nil
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) <= cursorHead || b[0] != cursorVersion {
		return noCursor()
	}
	if b[1] != list {
		return engram.Errorf(engram.ErrInvalid, "the cursor belongs to another list, or one in another order").
			WithCode("invalid_cursor").WithHint("keep the order from page to page")
	}
	key := b[cursorHead:]
	switch {
	case list == sessionCursor:
		page.AfterKey = string(key)
	case len(key) == 8:
		page.AfterID = int64(binary.BigEndian.Uint64(key))
	default:
		return noCursor()
	}
	page.After = time.UnixMicro(int64(binary.BigEndian.Uint64(b[2:]))).UTC()
	return nil
}

func noCursor() error {
	return engram.Errorf(engram.ErrInvalid, "the cursor is not one of this list").
		WithCode("invalid_cursor").WithHint("send next_cursor as it came, or none to begin at the start")
}

// cut takes the item off that was asked for beyond a page, and gives the cursor
// of the page's last one where there was such an item.
func cut[T any](items []T, limit int, at func(last T) string) (page []T, next string) {
	if len(items) <= limit {
		return items, ""
	}
	return items[:limit], at(items[limit-1])
}

// orderTime is the time by which order lists m.
func orderTime(m *engram.Memory, order store.Order) time.Time {
	switch order {
	case store.ByActivity:
		return m.UpdatedAt
	case store.ByOccurred:
		return m.OccurredAt
	}
	return m.CreatedAt
}
