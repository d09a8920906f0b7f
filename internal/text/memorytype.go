package text

import (
	"strings"
	"sync"
)

// typeWords are the types of memories that agents are told of, each with the words
// that ask for it: who asks for "the latest decision" means what was saved as one,
// whether its text says so or not.
const typeWords = `
architecture architecture architectural; bugfix bugfix bugfixes bug bugs fix fixes fixed; config config configs configuration configurations;
decision decision decisions decide decided; discovery discovery discoveries discover discovered; learning learning learnings learn learned learnt;
pattern pattern patterns; preference preference preferences prefer prefers preferred; session_summary summary summaries; task task tasks todo todos
`

// typeMark makes a term of a type: no text has it, and no word begins with it or is
// spelled like it.
const typeMark = "="

var typeTerms = sync.OnceValue(func() (terms struct{ ofType, byWord map[string]string }) {
	terms.ofType, terms.byWord = map[string]string{}, map[string]string{}
	for entry := range strings.SplitSeq(typeWords, ";") {
		words := strings.Fields(entry)
		term := typeMark + words[0]
		terms.ofType[words[0]] = term
		for _, w := range words[1:] {
			terms.byWord[w] = term
		}
	}
	return terms
})

// TypeTerm is the index term of memories of a type, "" = none: the type is of no one's
// choice, as manual is, or not known here.
func TypeTerm(typ string) string { return typeTerms().ofType[typ] }

// TypeTermFor is the index term of the type that a word of a question, folded, asks
// for, "" = none.
func TypeTermFor(word string) string { return typeTerms().byWord[word] }
