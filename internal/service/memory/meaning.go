package memory

import (
	"context"

	"engram/internal/store"
)

// Meanings asks models that memories have vectors of what a question means.
type Meanings interface {
	// Question gives the question's vectors soon, one for each model, and says in a
	// line that begins with a code what could not be had.
	Question(ctx context.Context, question string) (vectors []store.QueryVector, warnings []string)
}

// meaning is what models other than the built-in one take a question for.
type meaning struct {
	vectors  []store.QueryVector
	warnings []string
}

// askMeaning asks what a question means to models that take their time, while it
// is analysed and its words are counted. The answer comes once; without models
// there is no channel.
func (s *Service) askMeaning(ctx context.Context, models Meanings, question string) <-chan meaning {
	if models == nil {
		return nil
	}
	question = s.cleaner().Text(question) // secrets and private spans do not leave the house
	answer := make(chan meaning, 1)
	go func() {
		var m meaning
		m.vectors, m.warnings = models.Question(ctx, question)
		answer <- m
	}()
	return answer
}
