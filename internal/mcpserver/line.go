package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxLine is the longest line that is read: a memory of the largest size with
// every byte escaped, and room to spare.
const maxLine = 16 << 20

// lineReader cuts a stream into lines. One that is too long is passed over
// without being held, so that the stream goes on behind it.
type lineReader struct {
	r *bufio.Reader
}

func newLineReader(in io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(in, 64<<10)}
}

// errLineTooLong comes with the id that the line had, nil if it had none.
var errLineTooLong = errors.New("line too long")

// next is the next line without its end. The last one needs none. The error is
// io.EOF or what the stream gave, or errLineTooLong, after which it goes on.
func (l *lineReader) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return l.skip(append(line, part...), err)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		default:
			return nil, err
		}
	}
}

// skip reads on to the end of a line and gives the id in it.
func (l *lineReader) skip(part []byte, err error) ([]byte, error) {
	var scan idScanner
	scan.feed(part)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = l.r.ReadSlice('\n')
		scan.feed(part)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return scan.found(), errLineTooLong
}

// idScanner finds the value of the top-level "id" of a JSON object that passes
// by in pieces. Clients put it last as often as first.
type idScanner struct {
	depth             int
	inString, escaped bool
	inValue           bool // after a colon at depth 1
	key, str, value   []byte
}

// maxID is the longest id that is looked for.
const maxID = 256

func (s *idScanner) feed(part []byte) {
	for _, b := range part {
		if s.inString {
			s.character(b)
			continue
		}
		switch b {
		case '"':
			s.inString = true
			s.str = append(s.str[:0], b)
		case '{', '[':
			s.depth++
		case '}', ']':
			s.depth--
		case ':':
			if s.depth == 1 {
				s.inValue = true
				if s.isID() {
					s.value = nil
				}
			}
		case ',':
			if s.depth == 1 {
				s.inValue = false
			}
		default:
			if s.depth == 1 && s.inValue && s.isID() && len(s.value) < maxID {
				s.value = append(s.value, b)
			}
		}
	}
}

func (s *idScanner) character(b byte) {
	if len(s.str) <= maxID {
		s.str = append(s.str, b)
	}
	switch {
	case s.escaped:
		s.escaped = false
	case b == '\\':
		s.escaped = true
	case b == '"':
		s.inString = false
		if s.depth != 1 {
			return
		}
		if !s.inValue {
			s.key = bytes.Clone(s.str)
		} else if s.isID() {
			s.value = bytes.Clone(s.str)
		}
	}
}

func (s *idScanner) isID() bool { return string(s.key) == `"id"` }

func (s *idScanner) found() json.RawMessage {
	id := bytes.TrimSpace(s.value)
	if !validID(id) {
		return nil
	}
	return id
}
