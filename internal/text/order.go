package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Order is the order in time that a query asks for.
type Order uint8

// The orders that a query may ask for.
const (
	None   Order = iota
	Latest       // the newest first
	First        // the oldest first
)

// newestWords ask for the newest wherever they stand; oldestWords for the oldest.
var (
	newestWords = wordSet(`latest newest current currently recent recently lately 
reciente recientes recientemente actual actualmente neueste neuesten neuester neuestes aktuell aktuelle aktuellen aktueller
recent recente recents recentes recemment actuel actuelle actuellement atual atualmente recentemente attuale attualmente
nieuwste recentste huidige последний последняя последние последнюю недавно senaste nyaste`)
	oldestWords = wordSet(`earliest originally initially antiguo fruheste ursprunglich
ancien originellement initialement inicialmente originalmente inizialmente oudste eerst самый первый первая första forsta aldsta`)

	// lastWords and headWords do so only before what they are the last or first of.
	lastWords = wordSet(`last ultimo ultima ultimos ultimas letzte letzten letzter letztes dernier derniere derniers dernieres
ultimi ultime laatste`)
	headWords = wordSet(`first primer primera primeros erste ersten erster erstes premier premiere premiers primeiro primeira
primo prima primi eerste`)
	// agedWords may be said of people; of records they ask for the first.
	agedWords   = wordSet("oldest alteste altesten altester")
	recordWords = wordSet(`note notes memory memories entry entries message messages record records commit commits decision decisions version
versions file files item items issue issues bug bugs event events conversation conversations session sessions ticket tickets task tasks
notiz notizen eintrag eintrage nachricht nachrichten datei dateien entscheidung`)
	// comparedWords lead "first" where it compares two things: "which was released first".
	comparedWords = wordSet("born died released published established founded started opened came come comes built out")
	// nameWords follow first and last without a time in them.
	nameWords = wordSet(`name names nombre nachname vorname nom aid class floor line lines row column character characters letter letters word
step page item element argument parameter byte bytes bit index digit digits place quarter half year`)
	// endures follow or lead "last" where it is a verb.
	endures = wordSet("for until till in on at long it they did does do to will would can could should forever much more")
)

// runOrders are the words of unspaced scripts.
var runOrders = []struct {
	word  string
	order Order
}{
	{"最新", Latest},
	{"最近", Latest},
	{"目前", Latest},
	{"当前", Latest},
	{"现在", Latest},
	{"最后一次", Latest},
	{"上次", Latest},
	{"上一次", Latest},
	{"最早", First},
	{"最初", First},
	{"第一次", First},
	{"首次", First},
	{"最古", First},
	{"初めて", First},
	{"現在の", Latest},
	{"前回", Latest},
	{"最後に", Latest},
	{"직전", Latest},
	{"최신", Latest},
	{"최근", Latest},
	{"마지막", Latest},
	{"처음", First},
	{"가장 오래된", First},
}

// maxOrderQuery is the length of what may ask for an order; more is a text, which
// uses such words by the way.
const maxOrderQuery = 200

// QueryOrder tells whether a query asks for the newest or the oldest: "latest
// decision", "the last time", "first commit", "最新". Last and first count only before
// what has an order in time, or behind what somebody did ("what did we try first"): not
// "last week", "last name", "how long did it last" or "which was released first".
func QueryOrder(q string) Order {
	q = Fold(q)
	if len(q) > maxOrderQuery {
		return None
	}
	ws := strings.Fields(q)
	for i, w := range ws {
		w = strings.TrimFunc(w, unicode.IsPunct)
		switch {
		case agedWords[w] && i+1 < len(ws) && recordWords[strings.TrimFunc(ws[i+1], unicode.IsPunct)]:
			return First
		case newestWords[w]:
			return Latest
		case oldestWords[w]:
			return First
		case lastWords[w] && (leads(ws, i) || w == "last" && closes(ws, i)):
			return Latest
		case headWords[w] && (leads(ws, i) || w == "first" && closes(ws, i)):
			return First
		}
	}
	return runOrder(q)
}

// leads tells whether the last or first at i orders what comes after it.
func leads(ws []string, i int) bool {
	if i+1 >= len(ws) || i > 0 && (endures[ws[i-1]] || comparedWords[ws[i-1]]) {
		return false
	}
	if end, _ := utf8.DecodeLastRuneInString(ws[i]); unicode.IsPunct(end) {
		return false
	}
	next, _, _ := strings.Cut(strings.TrimFunc(ws[i+1], unicode.IsPunct), "'")
	return next != "" && !nameWords[next] && !endures[next] && !namesTime(next) && !isDigitASCII(next[0])
}

// doers are who does what a question is about.
var doers = wordSet("i we you they he she")

// closes tells whether the last or first at i ends a question for what somebody did.
func closes(ws []string, i int) bool {
	if i != len(ws)-1 || i < 3 || ws[i-1] == "at" {
		return false
	}
	switch ws[0] {
	case "what", "which", "who", "whom", "where":
	default:
		return false
	}
	for k := 1; k+1 < i; k++ {
		if (ws[k] == "did" || ws[k] == "have" || ws[k] == "had") && doers[ws[k+1]] {
			return true
		}
	}
	return false
}

// namesTime tells whether a word is a unit or a name of time, or a count of it.
func namesTime(w string) bool {
	for _, r := range dateRoles()[w] {
		switch r.kind {
		case unitRole, weekdayRole, monthRole, seasonRole, fewRole, quarterRole:
			return true
		case numberRole:
			if r.val > 1 {
				return true
			}
		}
	}
	return w == "night"
}

func runOrder(q string) Order {
	for _, o := range runOrders {
		_, after, ok := strings.Cut(q, o.word)
		if !ok {
			continue
		}
		// 最近7天 is a window.
		r, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, " "))
		if !unicode.IsDigit(r) && !strings.ContainsRune("一两兩二三四五六七八九十几幾半数", r) {
			return o.order
		}
	}
	return None
}
