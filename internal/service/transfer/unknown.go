package transfer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// unknownFields counts the fields of a file that nothing is made of: where and
// what → how often.
type unknownFields map[[2]string]int

// Bounds of what is kept of a file's names.
const (
	maxUnknown = 20 // fields that a report names
	maxNames   = 1000
)

// The fields of a file in either form.
var (
	wireNames = []string{"version", "exported_at", "sessions", "observations", "prompts", "relations"}
	ownNames  = []string{"format", "version", "exported_at", "sessions", "memories", "prompts", "supports", "aliases", "remotes"}
)

// file notes what a file has beside the fields of its form.
func (u unknownFields) file(o *outline) {
	known := wireNames
	if o.own {
		known = ownNames
	}
	for _, name := range o.names {
		if !slices.Contains(known, name) {
			u.note("the file", name)
		}
	}
}

// others counts the fields that are too many to be told apart: their names are
// the file's.
var others [2]string

func (u unknownFields) note(where, name string) {
	key := [2]string{where, name}
	if _, ok := u[key]; !ok && len(u) >= maxUnknown {
		key = others
	}
	u[key]++
}

// item notes what an item of a list has that is none of known; nil = anything.
func (u unknownFields) item(list string, raw json.RawMessage, known map[string]bool) {
	if known == nil {
		return
	}
	var got map[string]json.RawMessage
	if json.Unmarshal(raw, &got) != nil {
		return // refused, with the reason, when it is taken in
	}
	maps.DeleteFunc(got, func(name string, _ json.RawMessage) bool {
		return known[strings.ToLower(name)] // as encoding/json takes them
	})
	for _, name := range slices.Sorted(maps.Keys(got)) {
		u.note(list, name)
	}
}

// warnings says which fields were left out, the most frequent first.
func (u unknownFields) warnings() []string {
	keys := slices.SortedFunc(maps.Keys(u), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(u[b], u[a]), strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	})
	var out []string
	for _, key := range keys {
		if key != others {
			out = append(out, presentable(fmt.Sprintf("field %q of %s is not known, and was left out", key[1], key[0])))
		}
	}
	if u[others] > 0 {
		out = append(out, "more fields are not known, and were left out")
	}
	return out
}

// fieldsOf are the fields of the items of a list in the form of the file, in
// lower case.
func (im *importer) fieldsOf(list string) map[string]bool {
	types := map[string]reflect.Type{
		"sessions":     reflect.TypeFor[wireSession](),
		"observations": reflect.TypeFor[wireObservation](),
		"prompts":      reflect.TypeFor[wirePrompt](),
	}
	if im.o.own {
		types = map[string]reflect.Type{
			"sessions": reflect.TypeFor[ownSession](),
			"memories": reflect.TypeFor[ownMemory](),
			"prompts":  reflect.TypeFor[ownPrompt](),
		}
	}
	t, ok := types[list]
	if !ok {
		return nil // its items are no objects
	}
	names := map[string]bool{}
	addNames(names, t)
	return names
}

func addNames(names map[string]bool, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			addNames(names, f.Type)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names[name] = true
	}
}

// invalidByte is where b stops being UTF-8, -1 = nowhere.
func invalidByte(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	n := 0
	for {
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size == 1 {
			return n
		}
		n += size
	}
}
