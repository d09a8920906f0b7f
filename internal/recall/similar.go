package recall

import (
	"cmp"
	"slices"
	"strings"

	"engram"
)

// maxSimilar is how many names of projects are given to try.
const maxSimilar = 5

// SimilarProjects are those of projects with memories whose name is like one that
// was asked for, the nearest first: one contains the other, or few letters differ.
func SimilarProjects(name string, projects []engram.Project) []string {
	type near struct {
		name     string
		distance int
	}
	var found []near
	for _, p := range projects {
		if p.Memories == 0 || p.Name == name || p.Name == "" {
			continue
		}
		d := Distance(name, p.Name)
		contains := strings.Contains(p.Name, name) || strings.Contains(name, p.Name)
		if contains || d <= max(1, min(len(name), len(p.Name))/3) {
			found = append(found, near{p.Name, d})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(a.distance, b.distance) })
	var names []string
	for _, n := range found[:min(maxSimilar, len(found))] {
		names = append(names, n.name)
	}
	return names
}
