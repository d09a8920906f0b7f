package rest

import (
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// place is where a field of a request comes from.
type place int

const (
	inBody place = iota
	inPath
	inQuery
)

// field is one input or output of the API, read from a struct's tags:
//
//	path:"id"        from the path
//	query:"limit"    from the query string
//	json:"title"     from the body
//	doc:"…"          what it is, for the OpenAPI document
//	enum:"a,b"       what it may be
//	max:"50"         more is taken as this; less than nothing is refused
//	min:"1"          less is refused under /v1 where it is given; the field is a pointer
//	required:"true"  must be there
type field struct {
	name     string
	in       place
	typ      reflect.Type
	index    []int
	doc      string
	enum     []string
	max      int64 // 0 = none
	min      int64
	required bool
	optional bool // of an answer: left out when empty
}

// fieldsOf lists the fields of a struct, those of embedded structs among them.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Anonymous {
			for _, f := range fieldsOf(sf.Type) {
				f.index = append([]int{i}, f.index...)
				out = append(out, f)
			}
			continue
		}
		f := field{typ: sf.Type, index: []int{i}, doc: sf.Tag.Get("doc"), required: sf.Tag.Get("required") == "true"}
		name, flags, _ := strings.Cut(sf.Tag.Get("json"), ",")
		f.name, f.optional = name, strings.Contains(flags, "omit")
		if p, ok := sf.Tag.Lookup("path"); ok {
			f.name, f.in, f.required = p, inPath, true
		} else if q, ok := sf.Tag.Lookup("query"); ok {
			f.name, f.in = q, inQuery
		}
		if v := sf.Tag.Get("enum"); v != "" {
			f.enum = strings.Split(v, ",")
		}
		f.max, _ = strconv.ParseInt(sf.Tag.Get("max"), 10, 64)
		f.min, _ = strconv.ParseInt(sf.Tag.Get("min"), 10, 64)
		if f.name != "" && f.name != "-" {
			out = append(out, f)
		}
	}
	return out
}

func anyIn(fields []field, where place) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return f.in == where })
}

// bindURL sets the fields of v that come from the path and the query string,
// and gives the names of the parameters that are none of fields. Under /v1 one
// that takes one value may be there once; the routes at the root take the first.
func bindURL(r *http.Request, v reflect.Value, fields []field) (unknown []string, err error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badRequest("invalid_query", "the query string cannot be read: %v", err).WithHint("percent-encode its values")
	}
	for _, f := range fields {
		var values []string
		switch f.in {
		case inPath:
			values = []string{r.PathValue(f.name)}
		case inQuery:
			values = query[f.name]
			delete(query, f.name)
			if len(values) > 1 && f.typ.Kind() != reflect.Slice && isV1Path(r.URL.Path) {
				return nil, badRequest("repeated_parameter", "%s is given %d times", f.name, len(values)).WithHint("give it once")
			}
		default:
			continue
		}
		if err := f.set(v.FieldByIndex(f.index), values); err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(query)), nil
}

// namesIn lists the fields that come from where.
func namesIn(fields []field, where place) string {
	var names []string
	for _, f := range fields {
		if f.in == where {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, ", ")
}

// set parses values into dst; none, or an empty one, leaves it as it is.
func (f field) set(dst reflect.Value, values []string) error {
	if len(values) == 0 || len(values) == 1 && values[0] == "" {
		return nil
	}
	for _, s := range values {
		if !utf8.ValidString(s) {
			return badRequest("invalid_utf8", "%s is not valid UTF-8", f.name)
		}
	}
	s := values[0]
	if f.typ.Kind() == reflect.Pointer {
		dst.Set(reflect.New(f.typ.Elem()))
		dst = dst.Elem()
	}
	switch dst.Kind() {
	case reflect.Slice:
		dst.Set(reflect.ValueOf(values))
	case reflect.Bool:
		b, err := strconv.ParseBool(s)
		if err != nil {
			return badRequest("invalid_parameter", "%s is %s", f.name, shown(s)).WithHint("use true or false")
		}
		dst.SetBool(b)
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return f.notWhole(s)
		}
		dst.SetInt(n)
	default:
		dst.SetString(s)
	}
	return nil
}

func (f field) notWhole(s string) error {
	if f.in == inPath {
		return badRequest("invalid_id", "%s is %s", f.name, shown(s)).WithHint("use the whole number that a save or a list gave")
	}
	if f.max == 0 {
		return badRequest("invalid_parameter", "%s is %s", f.name, shown(s)).WithHint("use a whole number")
	}
	return badRequest("invalid_parameter", "%s is %s", f.name, shown(s)).WithHint("use a whole number from %d to %d", f.min, f.max)
}

// check holds the bound fields against their tags; strict is /v1. On the wire of
// the routes at the root 0 means the default.
func check(v reflect.Value, fields []field, strict bool) error {
	for _, f := range fields {
		fv := v.FieldByIndex(f.index)
		if f.required && fv.IsZero() {
			return f.missing()
		}
		if fv.Kind() == reflect.Pointer {
			if fv.IsNil() {
				continue
			}
			fv = fv.Elem()
		}
		switch fv.Kind() {
		case reflect.Int, reflect.Int64:
			if fv.Int() < 0 || strict && fv.Int() < f.min {
				return f.notWhole(strconv.FormatInt(fv.Int(), 10))
			}
			if f.max > 0 && fv.Int() > f.max {
				fv.SetInt(f.max)
			}
		case reflect.String:
			if f.enum != nil && fv.String() != "" && !slices.Contains(f.enum, fv.String()) {
				return badRequest("invalid_"+f.name, "%s is %s", f.name, shown(fv.String())).
					WithHint("use %s", strings.Join(f.enum, ", "))
			}
		}
	}
	return nil
}

func (f field) missing() error {
	if f.in == inPath && f.typ.Kind() == reflect.Int64 {
		return f.notWhole("0")
	}
	return badRequest(f.name+"_required", "%s is required", f.name)
}
