package rest

// Patterns are the routes that there are, as ServeMux takes them.
func Patterns() []string {
	var out []string
	for _, r := range (&api{}).routes() {
		out = append(out, r.method+" "+r.path)
	}
	return out
}
