package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"engram/internal/store/sqlstore"
)

// SQLite overwrites what is deleted (secure_delete), but when it moves rows from
// page to page it leaves their bytes behind in the space between a page's
// pointers and its cells. Such a left-over of an erased text outlives the row.
// So an erasure looks into that space for the text, and where it is, has the
// whole file written anew.

// defaultWipeTime is how long an erasure waits for other processes' readers.
const defaultWipeTime = 10 * time.Second

// erase prepares the erasure of rows inside its transaction: the keyword index
// forgets them, and what to look for afterwards is noted.
func (s *Store) erase(ctx context.Context, in *sqlstore.Tx, what sqlstore.Erased) (int, sqlstore.Wipe, error) {
	var (
		tx       = in.Tx
		trace    = newTraces()
		postings int
		err      error
	)
	for _, id := range what.Memories {
		// In the order of the columns, as the row has them beside one another. A
		// text that is too short to be looked for has its hash beside it.
		for _, table := range []string{"memories WHERE id", "memory_versions WHERE memory_id"} {
			if err := trace.read(ctx, tx, `SELECT hash, speaker || role || tool_name || files || title || content,
				topic_key, topic_key || project || scope FROM `+table+` = ?1`, id); err != nil {
				return 0, nil, err
			}
		}
	}
	for _, id := range what.Memories {
		if err := trace.read(ctx, tx, `SELECT '', failed || codes, '', '' FROM vectors WHERE memory_id = ?1`, id); err != nil {
			return 0, nil, err
		}
		if err := trace.readSigns(ctx, tx, id); err != nil {
			return 0, nil, err
		}
	}
	for _, id := range what.Prompts {
		if err := trace.read(ctx, tx, `SELECT uid, content, '', '' FROM prompts WHERE id = ?1`, id); err != nil {
			return 0, nil, err
		}
	}
	if len(what.Memories) > 0 {
		if postings, err = s.eraseKeyword(ctx, tx, what.Memories); err != nil {
			return 0, nil, fmt.Errorf("keyword index: %w", err)
		}
	}
	return postings, func(ctx context.Context) ([]string, error) { return s.wipe(ctx, trace) }, nil
}

// wipe takes what was erased out of the log and out of the left-overs in the
// file. It goes on when the caller gives up, since the erasure is committed.
func (s *Store) wipe(ctx context.Context, trace *traces) (copies []string, err error) {
	ctx = context.WithoutCancel(ctx)
	name := filepath.Base(s.path)
	done, err := s.truncateLog(ctx, s.wipeTime)
	if err != nil {
		return nil, fmt.Errorf("truncate log: %w", err)
	}
	if !done {
		return []string{name + "-wal and " + name + " until another process ends its reading and engram doctor is run"}, nil
	}
	found, err := trace.inFile(s.path)
	if err != nil || !found {
		return nil, err
	}
	if err := s.onCopier(ctx, `VACUUM`); err != nil {
		if isBusy(err) {
			return []string{"unused space in " + name + " until it is written over"}, nil
		}
		return nil, fmt.Errorf("rewrite file: %w", err)
	}
	if done, err = s.truncateLog(ctx, s.wipeTime); err == nil && !done {
		copies = []string{"unused space in " + name + " until the next checkpoint"}
	}
	return copies, err
}

// maxTraced is how much of a text is looked for: a row's own page holds no more.
const maxTraced = 8192

// traces are pieces of erased texts: of rows, and of the topic keys that an
// index has.
type traces struct {
	rows, keys pieces
}

func newTraces() *traces {
	return &traces{
		// Shorter pieces would be those that many texts have.
		rows: pieces{length: 24, step: 8, all: map[string]bool{}},
		keys: pieces{length: 12, step: 4, all: map[string]bool{}},
	}
}

// read notes the texts of the rows that a query gives.
func (t *traces) read(ctx context.Context, tx *sql.Tx, query string, id int64) (err error) {
	rows, err := tx.QueryContext(ctx, query, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var hash, text, topic, key string
		if err := rows.Scan(&hash, &text, &topic, &key); err != nil {
			return err
		}
		t.rows.add(hash, 0, len(hash))
		t.rows.add(text, 0, len(text))
		t.keys.add(key, strings.LastIndexByte(topic, '/')+1, len(topic)) // the family is shared by many
	}
	return rows.Err()
}

// pieces are parts of texts, one every step bytes: a left-over of length+step
// bytes has one in it.
type pieces struct {
	length, step int
	all          map[string]bool
	quick        [1 << 16 / 64]uint64 // a bit for the hash of each piece
}

// add notes the pieces of text that begin at from and before to.
func (p *pieces) add(text string, from, to int) {
	for i := from; i < min(to, maxTraced) && i+p.length <= len(text); i += p.step {
		piece := text[i : i+p.length]
		p.all[piece] = true
		h := hashPiece([]byte(piece))
		p.quick[h/64] |= 1 << (h % 64)
	}
}

// hashPiece maps the first eight bytes of a piece to 16 bits.
func hashPiece(b []byte) uint64 {
	return binary.LittleEndian.Uint64(b) * 0x9e3779b97f4a7c15 >> 48
}

// in reports whether a piece is in b.
func (p *pieces) in(b []byte) bool {
	for i := 0; i+p.length <= len(b); i++ {
		if h := hashPiece(b[i:]); p.quick[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		if p.all[string(b[i:i+p.length])] {
			return true
		}
	}
	return false
}

// inFile reports whether a piece is in space that no row uses.
func (t *traces) inFile(path string) (found bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	header := make([]byte, 100)
	if _, err := io.ReadFull(f, header); err != nil {
		return false, fmt.Errorf("header of %s: %w", path, err)
	}
	size := int(binary.BigEndian.Uint16(header[16:]))
	if size == 1 {
		size = 1 << 16
	}
	if size < 512 {
		return false, fmt.Errorf("header of %s: page size %d", path, size)
	}
	buf := make([]byte, size<<8)
	for page := int64(0); ; {
		n, err := f.ReadAt(buf, page*int64(size))
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		for part := buf[:n]; len(part) >= size; part = part[size:] {
			if t.inUnused(part[:size], page == 0) {
				return true, nil
			}
			page++
		}
		if err != nil {
			return false, nil
		}
	}
}

// inUnused looks into the unused space of a page of a b-tree: the gap between
// pointers and cells, and the free blocks between cells (file format, section 1.6).
func (t *traces) inUnused(page []byte, first bool) bool {
	at := 0
	if first {
		at = 100
	}
	header, wanted := 8, &t.rows
	switch page[at] {
	case 13: // leaf of a table
	case 10: // leaf of an index
		wanted = &t.keys
	case 2: // inner page of an index
		header, wanted = 12, &t.keys
	default:
		return false // a page of a long text, or a free one: those are overwritten
	}
	word := func(i int) int { return int(binary.BigEndian.Uint16(page[i:])) }
	from, to := at+header+2*word(at+3), word(at+5)
	if to == 0 {
		to = 1 << 16
	}
	if from < to && to <= len(page) {
		if gap := bytes.Trim(page[from:to], "\x00"); wanted.in(gap) {
			return true
		}
	}
	for block := word(at + 1); block > 0 && block+4 <= len(page); {
		next, size := word(block), word(block+2)
		if wanted.in(page[block:min(block+size, len(page))]) {
			return true
		}
		if next <= block {
			break
		}
		block = next
	}
	return false
}
