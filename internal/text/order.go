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
	newestWords = wordSet(`latest newest current currently recent recently lately mostrecent
reciente recientes recientemente actual actualmente neueste neuesten neuester neuestes aktuell aktuelle aktuellen aktueller
recent recente recents recentes recemment actuel actuelle actuellement atual atualmente recentemente attuale attualmente
nieuwste recentste huidige последний последняя последние последнюю недавно senaste nyaste`)
	oldestWords = wordSet(`oldest earliest originally initially antiguo primero alteste altesten altester fruheste ursprunglich
ancien originellement initialement inicialmente originalmente inizialmente oudste eerst самый первый первая första forsta aldsta`)

	// lastWords and headWords do so only before what they are the last or first of.
	lastWords = wordSet(`last final ultimo ultima ultimos ultimas letzte letzten letzter letztes dernier derniere derniers dernieres
ultimi ultime laatste`)
	headWords = wordSet(`first primer primera primeros erste ersten erster erstes premier premiere premiers primeiro primeira
primo prima primi eerste`)
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

// QueryOrder tells whether a query asks for the newest or the oldest: "latest
// decision", "the last time", "first commit", "最新". Last and first count only before
// what has an order in time: not "last week", "last name" or "how long did it last".
func QueryOrder(q string) Order {
	q = Fold(q)
	if len(q) > maxDateQuery {
		return None
	}
	ws := phraseWords(q)
	for i, w := range ws {
		switch {
		case newestWords[w]:
			return Latest
		case oldestWords[w]:
			return First
		case lastWords[w] && leads(ws, i):
			return Latest
		case headWords[w] && leads(ws, i):
			return First
		}
	}
	return runOrder(q)
}

// leads tells whether the last or first at i orders what comes after it.
func leads(ws []string, i int) bool {
	if i+1 >= len(ws) || i > 0 && endures[ws[i-1]] {
		return false
	}
	next := ws[i+1]
	return !nameWords[next] && !endures[next] && !namesTime(next) && !isDigitASCII(next[0])
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
