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

const cursorSize = 1 + 1 + 8 + 8 // version, order, time in microseconds, id

// cursor names the last item of a page; callers send it back as it is.
func cursor(order store.Order, at time.Time, id int64) string {
	b := []byte{cursorVersion, byte(order)}
	b = binary.BigEndian.AppendUint64(b, uint64(at.UnixMicro()))
	b = binary.BigEndian.AppendUint64(b, uint64(id))
	return base64.RawURLEncoding.EncodeToString(b)
}

// parseCursor reads what [cursor] wrote for a list in the same order.
func parseCursor(s string, order store.Order) (time.Time, int64, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) != cursorSize || b[0] != cursorVersion {
		return time.Time{}, 0, engram.Errorf(engram.ErrInvalid, "the cursor is not one of this list").
			WithCode("invalid_cursor").WithHint("send next_cursor as it came, or none to begin at the start")
	}
	if store.Order(b[1]) != order {
		return time.Time{}, 0, engram.Errorf(engram.ErrInvalid, "the cursor belongs to a list in another order").
			WithCode("invalid_cursor").WithHint("keep the order from page to page")
	}
	at := time.UnixMicro(int64(binary.BigEndian.Uint64(b[2:]))).UTC()
	return at, int64(binary.BigEndian.Uint64(b[10:])), nil
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
