package cmd_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	kjson "sigs.k8s.io/json"

	"github.com/kubectl-sched/kubectl-sched/pkg/cmd"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// TestCases runs every run of every testdata/cases/*/expect.json; testdata/cases/README.md describes them.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("../../testdata/cases/*/expect.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases found: %v", err)
	}
	for _, file := range files {
		folder := filepath.Dir(file)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			runs := readRuns(t, file)
			t.Chdir(folder)
			testCase(t, runs)
		})
	}
}

func testCase(t *testing.T, runs []expectedRun) {
	for i, run := range runs {
		for _, failed := range run.check(explain(t, run.Args)) {
			t.Errorf("run %d: %s", i+1, failed)
		}
	}
}

// readRuns reads an expect.json; a key that no check knows fails the test.
func readRuns(t *testing.T, file string) []expectedRun {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Runs []expectedRun `json:"runs"`
	}
	if err := strictly(data, &expected); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if len(expected.Runs) == 0 {
		t.Fatalf("%s: no runs", file)
	}
	for i, run := range expected.Runs {
		if len(run.Args) == 0 {
			t.Fatalf("%s: run %d has no args", file, i+1)
		}
	}
	return expected.Runs
}

func TestExpectationsWithMisspeltKeysAreRefused(t *testing.T) {
	for _, text := range []string{
		`{"args": ["a"], "exist": 1}`,
		`{"args": ["a"], "Exit": 1}`,
		`{"args": ["a"], "anyOf": [{"exit": 1}, {"exist": 1}]}`,
		`{"args": ["a"], "pods": {"p": {"verdikt": "Bound"}}}`,
		`{"args": ["a"], "pods": {"p": [{"verdict": "Bound"}, {"verdikt": "Bound"}]}}`,
		`{"args": ["a"], "pods": {"p": {"preFilter": [{"plugins": "a"}]}}}`,
		`{"args": ["a"], "pods": {"p": {"preemption": {"possibly": true}}}}`,
	} {
		if err := strictly([]byte(text), new(expectedRun)); err == nil {
			t.Errorf("no error for %s", text)
		}
	}
}

// answer is what one run of the command gave.
type answer struct {
	exit           int
	stdout, stderr string
	// plainStderr is stderr less the names of the run's own files, which do not count as a mention.
	plainStderr string
	// results are the Explanations on stdout; nil when it holds no JSON.
	results []report.Explanation
}

// explain runs `explain ARGS… -o json` in the working directory, without a cluster to talk to.
func explain(t *testing.T, args []string) answer {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	code, stdout, stderr := execute(t, slices.Concat([]string{"explain"}, args, []string{"-o", "json"}))
	got := answer{exit: code, stdout: stdout, stderr: stderr, plainStderr: stderr}
	for _, arg := range args {
		if _, err := os.Stat(arg); err == nil {
			got.plainStderr = withoutWord(got.plainStderr, arg)
		}
	}
	got.results = parseResults(stdout)
	return got
}

// execute runs a command line in process, with nothing on its standard input.
func execute(t *testing.T, args []string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut}
	code = cmd.Execute(t.Context(), cmd.Env{IOStreams: streams, Getenv: func(string) string { return "" }}, args)
	return code, out.String(), errOut.String()
}

func parseResults(stdout string) []report.Explanation {
	var list struct {
		Kind  string               `json:"kind"`
		Items []report.Explanation `json:"items"`
	}
	if json.Unmarshal([]byte(stdout), &list) != nil {
		return nil
	}
	if list.Kind == "List" {
		return list.Items
	}
	var one report.Explanation
	if json.Unmarshal([]byte(stdout), &one) != nil {
		return nil
	}
	return []report.Explanation{one}
}

// find returns the result for NAME or NAMESPACE/NAME, or nil.
func (a answer) find(key string) *report.Explanation {
	namespace, name, qualified := strings.Cut(key, "/")
	if !qualified {
		namespace, name = "", key
	}
	for i, result := range a.results {
		if result.Metadata.Name == name && (namespace == "" || result.Metadata.Namespace == namespace) {
			return &a.results[i]
		}
	}
	return nil
}

// strictly decodes JSON; unknown keys and keys given twice are errors, in nested types that decode themselves too.
func strictly(data []byte, into any) error {
	strict, err := kjson.UnmarshalStrict(data, into)
	if err != nil {
		return err
	}
	if len(strict) > 0 {
		return strict[0]
	}
	return nil
}

// oneOrMany is a value, or a list of them.
type oneOrMany[T any] []T

func (o *oneOrMany[T]) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		var many []T
		if err := strictly(data, &many); err != nil {
			return err
		}
		*o = many
		return nil
	}
	var one T
	if err := strictly(data, &one); err != nil {
		return err
	}
	*o = oneOrMany[T]{one}
	return nil
}

// texts asks for all its parts, regardless of case; a part that is a list, for any one of its own.
type texts []oneOrMany[string]

// missing returns the parts that the text lacks, quoted.
func (w texts) missing(text string) []string {
	text = strings.ToLower(text)
	var missing []string
	for _, part := range w {
		var options []string
		found := false
		for _, option := range part {
			found = found || strings.Contains(text, strings.ToLower(option))
			options = append(options, strconv.Quote(option))
		}
		if !found {
			missing = append(missing, strings.Join(options, " or "))
		}
	}
	return missing
}

// withoutWord is the text less a file's or Pod's name, so that the name cannot stand in for a fact.
func withoutWord(text, word string) string {
	var out strings.Builder
	for rest := text; ; {
		i := strings.Index(rest, word)
		if word == "" || i < 0 {
			out.WriteString(rest)
			return out.String()
		}
		out.WriteString(rest[:i])
		end := i + len(word)
		if partOfName(text[:len(text)-len(rest)+i], true) || partOfName(rest[end:], false) {
			out.WriteString(word)
		}
		rest = rest[end:]
	}
}

// partOfName tells whether the last or the first letter of the text continues a name.
func partOfName(text string, last bool) bool {
	if text == "" {
		return false
	}
	letter, marks := text[0], "-_"
	if last {
		letter, marks = text[len(text)-1], "-_."
	}
	return strings.IndexByte(marks, letter) >= 0 || '0' <= letter && letter <= '9' ||
		'a' <= letter|0x20 && letter|0x20 <= 'z'
}
