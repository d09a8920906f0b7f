package transfer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"engram"
)

// maxStream is how much of a reader that cannot be read twice is held: a body
// of a request, a pipe.
const maxStream = 256 << 20

// rewindable is r as something that can be read twice, from where it stands. A
// file is left where it is; a stream is held.
func rewindable(r io.Reader) (io.ReadSeeker, error) {
	if rs, ok := r.(io.ReadSeeker); ok {
		if _, err := rs.Seek(0, io.SeekCurrent); err == nil {
			return rs, nil
		}
	}
	b, err := io.ReadAll(io.LimitReader(r, maxStream+1))
	if err != nil {
		return nil, fmt.Errorf("read import: %w", err)
	}
	if len(b) > maxStream {
		return nil, engram.Errorf(engram.ErrTooLarge, "the import is a stream of over %d MB", maxStream>>20).
			WithCode("import_too_large").WithHint("save it to a file and run engram import FILE")
	}
	return bytes.NewReader(b), nil
}

// notExport is the error for a file that is none of ours.
func notExport(format string, args ...any) error {
	return engram.Errorf(engram.ErrInvalid, "this is not an export: "+format, args...).WithCode("invalid_import").
		WithHint("nothing was imported")
}

// readObject calls visit for each field of the one JSON object that r is;
// visit reads the value. Anything after the object is an error.
func readObject(r io.Reader, visit func(name string, dec *json.Decoder) error) error {
	br := bufio.NewReaderSize(r, 1<<16)
	if bom, err := br.Peek(3); err == nil && string(bom) == "\uFEFF" {
		if _, err := br.Discard(len(bom)); err != nil {
			return err
		}
	}
	dec := json.NewDecoder(br)
	first, err := dec.Token()
	if err != nil {
		return syntaxError(dec, err)
	}
	if first != json.Delim('{') {
		return notExport("it must be one JSON object")
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return syntaxError(dec, err)
		}
		if err := visit(name.(string), dec); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return syntaxError(dec, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return notExport("something follows it at byte %d", dec.InputOffset())
	}
	return nil
}

// readList calls visit with each element of a list; null is an empty one.
func readList(dec *json.Decoder, name string, visit func(i int, raw json.RawMessage) error) error {
	first, err := dec.Token()
	if err != nil {
		return syntaxError(dec, err)
	}
	if first == nil {
		return nil
	}
	if first != json.Delim('[') {
		return notExport("%s must be a list", name)
	}
	var raw json.RawMessage
	for i := 0; dec.More(); i++ {
		raw = raw[:0]
		if err := dec.Decode(&raw); err != nil {
			return syntaxError(dec, err)
		}
		if err := visit(i, raw); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return syntaxError(dec, err)
	}
	return nil
}

// skip reads over a value.
func skip(dec *json.Decoder) error {
	var raw json.RawMessage
	return decode(dec, &raw)
}

func decode(dec *json.Decoder, v any) error {
	if err := dec.Decode(v); err != nil {
		return syntaxError(dec, err)
	}
	return nil
}

// syntaxError tells a broken file from a broken reader.
func syntaxError(dec *json.Decoder, err error) error {
	at := dec.InputOffset()
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return notExport("%v at byte %d", e, e.Offset)
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return notExport("%s is not expected at byte %d", e.Value, at)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return notExport("it ends in the middle, at byte %d", at)
	}
	return fmt.Errorf("read import: %w", err)
}

// outline is what must be known of a file before any of it is stored.
type outline struct {
	names    []string // of the fields
	own      bool     // our own form, else the wire form
	version  string
	sessions map[string]bool // ids that have an entry of their own
	// late says that sessions come after what is in them.
	late bool
	// superseded are observations, by sync id, that another took the place of,
	// with the time.
	superseded map[string]time.Time
	refused    []Refusal // relations
}

// survey reads a whole file: whether it is sound JSON to its end, what form
// and version it is, and what its items need to know of each other.
func survey(r io.Reader) (*outline, error) {
	o := &outline{sessions: map[string]bool{}, superseded: map[string]time.Time{}}
	var format, version json.RawMessage
	lists, items := 0, false
	err := readObject(r, func(name string, dec *json.Decoder) error {
		if len(o.names) < maxNames {
			o.names = append(o.names, name)
		}
		switch name {
		case "format":
			return decode(dec, &format)
		case "version":
			return decode(dec, &version)
		case "sessions":
			lists++
			o.late = o.late || items
			return readList(dec, name, o.noteSession)
		case "relations":
			return readList(dec, name, o.noteRelation)
		case "observations", "memories", "prompts":
			lists++
			return readList(dec, name, func(int, json.RawMessage) error {
				items = true
				return nil
			})
		}
		return skip(dec)
	})
	if err != nil {
		return nil, err
	}
	return o, o.identify(format, version, lists)
}

func (o *outline) noteSession(_ int, raw json.RawMessage) error {
	var s struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &s) == nil { // a malformed one is reported when it is to be stored
		o.sessions[strings.TrimSpace(s.ID)] = true
	}
	return nil
}

// noteRelation keeps what replaces what; other relations have no place here.
func (o *outline) noteRelation(i int, raw json.RawMessage) error {
	var rel wireRelation
	err := json.Unmarshal(raw, &rel)
	if err != nil {
		o.refused = append(o.refused, Refusal{Item: itemName("relation", rel.SyncID, i), Reason: malformed(err)})
		return nil
	}
	if rel.Relation != "supersedes" || rel.Status != "judged" {
		o.refused = append(o.refused, Refusal{
			Item:   itemName("relation", rel.SyncID, i),
			Reason: fmt.Sprintf("only judged relations of kind supersedes are taken over, this one is %s %s", rel.Status, rel.Relation),
		})
		return nil
	}
	at, err := parseTime("created_at", rel.CreatedAt)
	if err != nil {
		o.refused = append(o.refused, Refusal{Item: itemName("relation", rel.SyncID, i), Reason: engram.ErrorMessage(err)})
		return nil
	}
	o.superseded[rel.Target] = at
	return nil
}

// identify tells the forms apart and refuses versions that are not known.
func (o *outline) identify(format, version json.RawMessage, lists int) error {
	if format != nil {
		var name string
		if json.Unmarshal(format, &name) != nil || name != ownFormat {
			return notExport("its format is %.40s, %q is known", format, ownFormat)
		}
		var n int
		if json.Unmarshal(version, &n) != nil || n != ownVersion {
			return unknownVersion(string(version), "version "+fmt.Sprint(ownVersion))
		}
		o.own, o.version = true, fmt.Sprint(n)
		return nil
	}
	if version == nil && lists > 0 {
		o.version = wireVersions[0]
		return nil
	}
	if json.Unmarshal(version, &o.version) != nil || strings.TrimSpace(o.version) == "" {
		return notExport("it has no version")
	}
	if !slices.Contains(wireVersions, o.version) {
		return unknownVersion(o.version, "versions "+strings.Join(wireVersions, " and "))
	}
	return nil
}

func unknownVersion(got, known string) error {
	return engram.Errorf(engram.ErrInvalid, "export version %.40s is not known, %s can be read; nothing was imported", got, known).
		WithCode("unknown_version").WithHint("use a newer engram, or export again with an older version")
}

// itemName is what a report calls an item.
func itemName(kind, id string, i int) string {
	if id == "" {
		return fmt.Sprintf("%s at place %d", kind, i+1)
	}
	return kind + " " + id
}

func malformed(err error) string {
	if e, ok := errors.AsType[*engram.Error](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field := e.Field
		if field == "" {
			return "it is a " + e.Value + ", not an object"
		}
		return fmt.Sprintf("%s must not be a %s", field, e.Value)
	}
	return "it is malformed: " + err.Error()
}
