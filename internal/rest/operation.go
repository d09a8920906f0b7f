package rest

import (
	"context"
	"net/http"
	"reflect"
)

// operation is what the OpenAPI document says about a route.
type operation struct {
	summary  string
	status   int
	fields   []field      // of the request
	out      reflect.Type // of the answer, nil = not JSON of ours
	produces string       // its media type
}

// reply lets a handler set what is not in the answer's body.
type reply struct {
	status int
	header http.Header
}

// op makes a route from a function: its request is bound to an In by the tags of
// its fields, its answer is written as JSON.
func op[In, Out any](a *api, method, path, summary string, call func(context.Context, *In, *reply) (Out, error)) route {
	fields := fieldsOf(reflect.TypeFor[In]())
	o := &operation{
		summary: summary, status: http.StatusOK, fields: fields,
		out: reflect.TypeFor[Out](), produces: "application/json",
	}
	strict := isV1Path(path)
	read := bodyReader(method, fields)
	serve := func(w http.ResponseWriter, r *http.Request) error {
		var in In
		var extra unknown
		if read(r) {
			data, err := readBody(w, r, a.bodyLimit())
			if err != nil {
				return err
			}
			if extra.fields, err = decodeJSON(data, &in, fields); err != nil {
				return err
			}
		}
		v := reflect.ValueOf(&in).Elem()
		var err error
		if extra.parameters, err = bindURL(r, v, fields); err != nil {
			return err
		}
		if err := extra.answer(strict, w.Header(), fields); err != nil {
			return err
		}
		if err := check(v, fields, strict); err != nil {
			return err
		}
		re := reply{status: o.status, header: w.Header()}
		out, err := call(r.Context(), &in, &re)
		if err != nil {
			return err
		}
		return writeJSON(w, re.status, out)
	}
	return route{method: method, path: path, op: o, serve: serve}
}

// bodyReader says of which requests the body is read: those that must have one,
// and those that may and do.
func bodyReader(method string, fields []field) func(*http.Request) bool {
	takes, must := anyIn(fields, inBody), method == http.MethodPatch
	for _, f := range fields {
		must = must || f.in == inBody && f.required
	}
	return func(r *http.Request) bool { return takes && (must || hasBody(r)) }
}

// raw makes a route from a handler that reads or writes more than JSON; In says
// what it takes from the URL.
func raw[In any](method, path, summary, produces string, serve func(w http.ResponseWriter, r *http.Request, in *In) error) route {
	fields := fieldsOf(reflect.TypeFor[In]())
	return route{
		method: method, path: path,
		op: &operation{summary: summary, status: http.StatusOK, fields: fields, produces: produces},
		serve: func(w http.ResponseWriter, r *http.Request) error {
			var in In
			v := reflect.ValueOf(&in).Elem()
			var extra unknown
			var err error
			if extra.parameters, err = bindURL(r, v, fields); err != nil {
				return err
			}
			if err := extra.answer(isV1Path(path), w.Header(), fields); err != nil {
				return err
			}
			if err := check(v, fields, isV1Path(path)); err != nil {
				return err
			}
			return serve(w, r, &in)
		},
	}
}

// gives says what a raw route answers.
func gives[Out any](r route) route { r.op.out = reflect.TypeFor[Out](); return r }

// creates makes 201 the route's usual status.
func (r route) creates() route { r.op.status = http.StatusCreated; return r }

// public makes the route answer without a token.
func (r route) public() route { r.open = true; return r }

// streams lets the route take bodies of up to limit bytes and answer at length.
func (r route) streams(limit int64) route { r.stream, r.maxBody = true, limit; return r }

// none is a request or an answer without fields.
type none struct{}
