package main

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// A shape has the means in which made-up files must be similar to real ones.
type shape struct {
	lineLength    float64 // in octets, line end included
	wildcards     float64 // the share of rules with wildcards
	rulesPerGroup float64
	rulesPerFile  float64
	forOthers     float64 // rules in a file for an agent that no group names
}

func shapeOf(sites []site) shape {
	var octets, lines, rules, wild, groups, others float64
	for i := range sites {
		file := robotstxt.Parse(sites[i].body, robotstxt.Google)
		for line := range file.Lines() {
			if len(line.Raw) > 0 {
				octets, lines = octets+float64(len(line.Raw)), lines+1
			}
		}
		others += float64(file.Agent(agent).Explain("/").RuleCount)
		for g := range file.Groups() {
			groups++
			for _, r := range g.Rules {
				rules++
				if strings.Contains(r.Pattern, "*") || strings.HasSuffix(r.Pattern, "$") {
					wild++
				}
			}
		}
	}
	files := float64(len(sites))
	return shape{octets / lines, wild / rules, rules / groups, rules / files, others / files}
}

// Made-up files have nearly the shape of real ones: each mean differs by at most a tenth, and
// the share of wildcards by at most 0.03.
func TestMadeUpFilesHaveTheShapeOfRealOnes(t *testing.T) {
	sites, err := realSites()
	if errors.Is(err, errNoCorpus) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	real, made := realInputs(sites), shapedInputs()
	for _, c := range []struct {
		name       string
		real, made []site
	}{
		{"all", real.sites, made.sites},
		{"small", real.small, made.small},
		{"large", []site{real.large}, []site{made.large}},
		{"huge", []site{real.huge}, []site{made.huge}},
	} {
		want, got := shapeOf(c.real), shapeOf(c.made)
		t.Logf("%s: %+v, real %+v", c.name, got, want)
		near := func(got, want float64) bool { return math.Abs(got-want) <= want/10 }
		if !near(got.lineLength, want.lineLength) || !near(got.rulesPerGroup, want.rulesPerGroup) ||
			!near(got.rulesPerFile, want.rulesPerFile) || !near(got.forOthers, want.forOthers) || math.Abs(got.wildcards-want.wildcards) > 0.03 {
			t.Errorf("%s: %+v, real %+v", c.name, got, want)
		}
	}
}
