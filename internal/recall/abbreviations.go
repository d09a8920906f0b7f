package recall

import (
	"strings"
	"sync"

	"engram/internal/embed"
	"engram/internal/text"
)

// abbreviated are the long forms of what people who write software abbreviate, where
// neither letters nor vectors tell that the two are the same.
const abbreviated = `
a11y accessibility; adr architecture decision record; authn authentication; authz authorization; cdn content delivery network;
cfg configuration; ci continuous integration; cli command line interface; cors cross origin resource sharing; cron scheduled job;
csp content security policy; ctx context; db database; dbs databases; deps dependencies; dlq dead letter queue;
dns domain name system; e2e end to end; env environment; gc garbage collection; gcp google cloud; gha github actions;
gql graphql; grpc remote procedure call; gui graphical interface; i18n internationalization; iac infrastructure as code;
iam identity access management; jwt json web token; k8s kubernetes; kms key management service; l10n localization; lfs large file storage; llm large language model; mfa multi factor authentication; mq message queue; o11y observability;
orm object relational mapping; otp one time password; pg postgres; pkg package; poc proof of concept; pr pull request;
prs pull requests; psql postgresql; pto paid time off; qa quality assurance; rbac role based access control;
rca root cause analysis; repo repository; repos repositories; rfc request for comments; rpc remote procedure call;
slo service level objective; sla service level agreement; sre site reliability engineering; ssg static site generation; sso single sign on;
ssr server side rendering; tf terraform; tz timezone; vm virtual machine; vms virtual machines; vpc virtual private cloud; vpn virtual private network;
wal write ahead log; wip work in progress
`

// longForms gives the words that an abbreviation stands for.
var longForms = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for entry := range strings.SplitSeq(abbreviated, ";") {
		short, long, _ := strings.Cut(strings.TrimSpace(entry), " ")
		out[short] = long
	}
	return out
})

// spellOut lets the long form of an abbreviation stand in for it, all its words
// together, and reports whether there is one.
func (q *Query) spellOut(w *Word) bool {
	long, ok := longForms()[w.Surface]
	if !ok {
		return false
	}
	f := form{weight: abbreviationTier}
	for _, part := range text.AnalyzeQuery(long).Words {
		if part.Stop {
			continue
		}
		w.instead = append(w.instead, part.Surface)
		f.terms = append(f.terms, q.term(part.Forms[0], abbreviationTier))
	}
	w.forms, w.tier = append(w.forms, f), abbreviationTier
	return true
}

// spelledOut is the text of q with the long forms of the abbreviations that table
// does not know.
func (q *Query) spelledOut(table *embed.Table) string {
	out := q.Text
	var buf [8]uint16
	for i := range q.Words {
		if long, ok := longForms()[q.Words[i].Surface]; ok && len(table.Tokens(buf[:0], q.Words[i].Surface)) > 1 {
			out += " " + long
		}
	}
	return out
}
