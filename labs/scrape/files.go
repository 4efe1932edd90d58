package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/rhysd/actionlint"
)

// Holds a dashboard against Grafana's schema, panels and queries included, and each query against Prometheus's grammar.
func dashboardFile(path string) {
	raw, err := os.ReadFile(path)
	check(path, err)
	plugins.RegisterDefaultPlugins()
	var board dashboard.Dashboard
	// Both return a list that may be empty where there is nothing to say.
	for _, err := range []error{board.UnmarshalJSONStrict(raw), board.Validate()} {
		if err != nil && err.Error() != "" {
			check(path, err)
		}
	}
	var loose struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	check(path, json.Unmarshal(raw, &loose))
	queries := 0
	for _, panel := range loose.Panels {
		for _, target := range panel.Targets {
			query := strings.NewReplacer("$__rate_interval", "1m").Replace(target.Expr)
			_, err := parser.NewParser(parser.Options{}).ParseExpr(query)
			check(panel.Title, err)
			queries++
		}
	}
	if queries == 0 {
		check(path, errors.New("it asks for nothing"))
	}
	fmt.Printf("%d panels and %d queries are as Grafana and Prometheus want them\n", len(loose.Panels), queries)
}

// Lints a workflow of GitHub.
func workflowFile(path string) {
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	check(path, err)
	problems, err := linter.LintFile(path, nil)
	check(path, err)
	for _, problem := range problems {
		check(path, problem)
	}
	fmt.Printf("%s is as actionlint wants it\n", path)
}
