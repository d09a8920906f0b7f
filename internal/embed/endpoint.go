package embed

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"engram/internal/remote"
)

// EndpointOptions say which model is asked where, and how patiently.
type EndpointOptions struct {
	// URL is the base of an API of OpenAI's kind: http://localhost:11434/v1. The
	// version may be left out (http://localhost:11434), the whole address given
	// (…/v1/embeddings), and a query is kept.
	URL string
	// Model is the name that the server knows the model by.
	Model string
	// Key is sent as a bearer token, "" = none. It goes nowhere but to URL.
	Key remote.Key
	// Dimensions asks the model for vectors of this length, 0 = of its own.
	Dimensions int

	// TextPrefix and QuestionPrefix are put before each text and each question,
	// for models that were trained so: "search_document: ", "search_query: ".
	TextPrefix, QuestionPrefix string

	// MaxBatch is how many texts go into a request, 0 = 32. A server that takes
	// fewer is found out.
	MaxBatch int
	// MaxBatchBytes is how long the texts of a request are together, 0 = 64 KiB.
	MaxBatchBytes int
	// MaxTextBytes is how much of a text the model reads at once, 0 = 6000, which
	// is under 2,048 tokens in most languages. The vector of a longer text is the
	// mean of its pieces: a server that cuts texts off does so without a word.
	MaxTextBytes int

	// Timeout is for a request, 0 = 30 s; QuestionTimeout for all that a question
	// needs, 0 = 2 s.
	Timeout, QuestionTimeout time.Duration
	// MaxAttempts is how often a request is sent at most, 0 = 4; MaxRetryTime is
	// when no further attempt is begun, 0 = 60 s. Questions are sent once.
	MaxAttempts  int
	MaxRetryTime time.Duration
	// PauseAfter so many requests in a row that got no answer, 0 = 3, requests
	// fail at once for Pause, 0 = 30 s.
	PauseAfter int
	Pause      time.Duration

	// Transport is for tests and for proxies, nil = like [http.DefaultTransport].
	Transport http.RoundTripper
}

// Endpoint is an [Embedder] that asks a server: Ollama, vLLM, llama.cpp, Text
// Embeddings Inference, DashScope, OpenAI and whoever else answers POST
// /embeddings as OpenAI does.
//
// An error of it is the context's, if that has ended, or an [engram.Error] of
// kind [engram.ErrUnavailable] whose code says what is wrong: recall goes on
// without these vectors. A [TextError] is about one of the texts.
//
// It is safe for use by several goroutines.
type Endpoint struct {
	opts   EndpointOptions
	url    *url.URL
	client *http.Client
	brk    remote.Breaker

	life context.Context // ends with Close
	end  context.CancelFunc
	wg   sync.WaitGroup

	mu       sync.Mutex
	dim      int   // of the first vector seen, 0 = none yet
	limit    int   // texts in a request
	checked  int   // texts in the largest batch that was compared
	noFormat bool  // the server does not know encoding_format
	loading  bool  // a request without hurry is under way
	closed   bool  // no more of these
	last     error // of the last request, nil if it went well
}

var _ Embedder = (*Endpoint)(nil)

// NewEndpoint makes an Endpoint. It does not ask the server: see Probe. The
// error is [engram.ErrInvalid] and names the setting.
func NewEndpoint(o EndpointOptions) (*Endpoint, error) {
	u, err := endpointURL(o.URL)
	if err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	o.setDefaults()
	life, end := context.WithCancel(context.Background())
	return &Endpoint{
		opts: o, url: u, life: life, end: end, limit: o.MaxBatch, checked: 1,
		client: &http.Client{Transport: o.Transport, CheckRedirect: remote.CheckRedirect},
		brk:    remote.Breaker{After: o.PauseAfter, Pause: o.Pause},
	}, nil
}

func (o *EndpointOptions) check() error {
	if strings.TrimSpace(o.Model) == "" {
		return remote.BadSetting("embedder_model is missing", "name a model of the server, such as nomic-embed-text")
	}
	if strings.ContainsFunc(o.Model, isControl) {
		return remote.BadSetting("embedder_model has a control character", "give the name alone")
	}
	if err := o.Key.Check("embedder_key"); err != nil {
		return err
	}
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"embedder_dimensions", int64(o.Dimensions)},
		{"MaxBatch", int64(o.MaxBatch)},
		{"MaxBatchBytes", int64(o.MaxBatchBytes)},
		{"MaxTextBytes", int64(o.MaxTextBytes)},
		{"Timeout", int64(o.Timeout)},
		{"QuestionTimeout", int64(o.QuestionTimeout)},
		{"MaxAttempts", int64(o.MaxAttempts)},
		{"MaxRetryTime", int64(o.MaxRetryTime)},
		{"PauseAfter", int64(o.PauseAfter)},
		{"Pause", int64(o.Pause)},
	} {
		if n.value < 0 {
			return remote.BadSetting(fmt.Sprintf("%s is negative", n.name), "use a number above 0, or 0 for the default")
		}
	}
	if o.Dimensions > maxDim {
		return remote.BadSetting(fmt.Sprintf("embedder_dimensions is %d", o.Dimensions), fmt.Sprintf("use at most %d", maxDim))
	}
	return nil
}

func (o *EndpointOptions) setDefaults() {
	o.MaxBatch = cmp.Or(o.MaxBatch, 32)
	o.MaxBatchBytes = cmp.Or(o.MaxBatchBytes, 64<<10)
	o.MaxTextBytes = max(cmp.Or(o.MaxTextBytes, 6000), minPiece)
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.QuestionTimeout = cmp.Or(o.QuestionTimeout, 2*time.Second)
	o.MaxAttempts = cmp.Or(o.MaxAttempts, 4)
	o.MaxRetryTime = cmp.Or(o.MaxRetryTime, time.Minute)
	o.PauseAfter = cmp.Or(o.PauseAfter, 3)
	o.Pause = cmp.Or(o.Pause, 30*time.Second)
	if o.Transport == nil {
		o.Transport = http.DefaultTransport.(*http.Transport).Clone()
	}
}

// Model is the name, the dimension and, if texts have a prefix, a hash of that:
// "nomic-embed-text@768", "nomic-embed-text@768+5d1c9a30". It is "" until the
// first answer has told the dimension.
func (e *Endpoint) Model() string {
	dim := e.Dim()
	if dim == 0 {
		return ""
	}
	tag := fmt.Sprintf("%s@%d", e.opts.Model, dim)
	if e.opts.TextPrefix != "" {
		tag += "+" + prefixHash(e.opts.TextPrefix)
	}
	return tag
}

// Dim is the length of the first vector that was answered, 0 before that. A
// later one of another length is an error.
func (e *Endpoint) Dim() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.dim
}

// probeText is what Probe embeds. Vectors of it are compared with each other
// over the years: it must stay as it is.
const probeText = "The memory of every tool, in one place."

// Probe asks for the vector of a text that is always the same. After it, Model
// and Dim are known. Two probes of one model that differ tell that the server
// has put another model behind the name.
func (e *Endpoint) Probe(ctx context.Context) ([]float32, error) {
	vectors, err := e.Embed(ctx, []string{probeText})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// Embed implements [Embedder]: in batches, with patience.
func (e *Endpoint) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return e.embed(ctx, patience{attempts: e.opts.MaxAttempts, timeout: e.opts.Timeout, checks: true}, e.opts.TextPrefix, texts)
}

// loadFactor is how many times longer a request may take that loads a model.
const loadFactor = 4

// load sends a request without hurry. Ollama stops loading a model when the
// client hangs up, so that a question would find it cold for ever.
func (e *Endpoint) load() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.loading || e.closed {
		return
	}
	e.loading = true
	e.wg.Go(func() {
		_, err := e.once(e.life, loadFactor*e.opts.Timeout, []string{probeText})
		e.settle(e.life, err)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.loading = false
	})
}

func (e *Endpoint) isLoading() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.loading
}

// Close ends what goes on in the background and waits for it. It may be called
// twice.
func (e *Endpoint) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.end()
	e.wg.Wait()
	e.client.CloseIdleConnections()
}

// EndpointStatus tells how an Endpoint fares, for people.
type EndpointStatus struct {
	URL       string        // without query
	Model     string        // as the server knows it
	Dim       int           // 0 = not known yet
	Batch     int           // texts in a request; less than MaxBatch where the server takes, or gets right, no more
	Loading   bool          // a question was too slow, and the server is waited for
	PausedFor time.Duration // until the server is asked again
	Err       error         // of the last request, nil if it went well
}

// Status tells how e fares. It does not ask the server.
func (e *Endpoint) Status() EndpointStatus {
	paused := e.brk.PausedFor(time.Now())
	e.mu.Lock()
	defer e.mu.Unlock()
	return EndpointStatus{
		URL: remote.Shown(e.url), Model: e.opts.Model, Dim: e.dim, Batch: e.limit,
		Loading: e.loading, PausedFor: paused, Err: e.last,
	}
}

// name is how messages call the server.
func (e *Endpoint) name() string { return "the embedder at " + remote.Shown(e.url) }

// String names the model and the server. Nothing that prints an Endpoint, by
// whatever verb, gets to the key.
func (e *Endpoint) String() string { return e.opts.Model + " at " + remote.Shown(e.url) }

// Format implements [fmt.Formatter] for every verb.
func (e *Endpoint) Format(f fmt.State, _ rune) { fmt.Fprint(f, e.String()) }

// LogValue implements [slog.LogValuer].
func (e *Endpoint) LogValue() slog.Value { return slog.StringValue(e.String()) }
