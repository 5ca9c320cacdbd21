package cmd_test

import (
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/deferredpodscheduling"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodename"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeports"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumerestrictions"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumezone"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/reason"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

const (
	reasonsPage = "../../docs/reasons.md"
	outputPage  = "../../docs/output.md"
)

func readPage(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// sectionsOf splits a page at headings of the given level or above; titles are in the order of the page.
func sectionsOf(page, level string) (titles []string, texts map[string]string) {
	texts = map[string]string{}
	title, inCode := "", false
	for line := range strings.Lines(page) {
		inCode = inCode != strings.HasPrefix(line, "```")
		marks, heading, isHeading := strings.Cut(strings.TrimSpace(line), " ")
		if isHeading && !inCode && marks != "" && strings.Trim(marks, "#") == "" && len(marks) <= len(level) {
			title = heading
			titles = append(titles, title)
			continue
		}
		texts[title] += line
	}
	return titles, texts
}

func TestReasonsPageHasASectionForEachPlugin(t *testing.T) {
	want := slices.Concat([]string{"The reasons", "Contents", "How to read an answer"}, reason.Plugins(),
		[]string{"Extenders", "Other plugins", "Unknown schedulerName", "Preemption"})
	titles, texts := sectionsOf(readPage(t, reasonsPage), "##")
	if diff := cmp.Diff(want, titles); diff != "" {
		t.Errorf("sections of docs/reasons.md (-want +got):\n%s", diff)
	}
	var linked []string
	for _, link := range regexp.MustCompile(`\[([^\]]+)\]\(#([^)]+)\)`).FindAllStringSubmatch(texts["Contents"], -1) {
		linked = append(linked, link[1])
		if anchor := strings.ReplaceAll(strings.ToLower(link[1]), " ", "-"); anchor != link[2] {
			t.Errorf("Contents: %s links to #%s, want #%s", link[1], link[2], anchor)
		}
	}
	if diff := cmp.Diff(want[2:], linked); diff != "" {
		t.Errorf("links of Contents (-want +got):\n%s", diff)
	}
	for _, title := range want[3:] {
		parts := []string{"**When it ", "**What people do:**"}
		if title != "Unknown schedulerName" { // no node is judged there, and nothing tried
			parts = append(parts, "**What is shown", "**Fixes tried:**")
		}
		for _, part := range parts {
			if !strings.Contains(texts[title], part) {
				t.Errorf("%s: no %s", title, part)
			}
		}
	}
}

// TestReasonsPageQuotesUpstream looks for the texts that kube-scheduler exports in the sections of their plugins.
func TestReasonsPageQuotesUpstream(t *testing.T) {
	_, texts := sectionsOf(readPage(t, reasonsPage), "##")
	for plugin, quotes := range map[string][]string{
		names.DeferredPodScheduling: {deferredpodscheduling.ErrReasonNodeDisablesResizePreemption},
		names.NodeName:              {nodename.ErrReason},
		names.NodeUnschedulable:     {nodeunschedulable.ErrReasonUnschedulable},
		names.NodeAffinity:          {nodeaffinity.ErrReasonPod},
		names.NodePorts:             {nodeports.ErrReason},
		names.VolumeRestrictions: {
			volumerestrictions.ErrReasonDiskConflict, volumerestrictions.ErrReasonReadWriteOncePodConflict,
		},
		names.NodeVolumeLimits: {nodevolumelimits.ErrReasonMaxVolumeCountExceeded},
		names.VolumeBinding: {
			string(volumebinding.ErrReasonBindConflict), string(volumebinding.ErrReasonNodeConflict),
			volumebinding.ErrReasonNotEnoughSpace, volumebinding.ErrReasonPVNotExist,
		},
		names.VolumeZone: {volumezone.ErrReasonConflict},
		names.PodTopologySpread: {
			podtopologyspread.ErrReasonConstraintsNotMatch, podtopologyspread.ErrReasonNodeLabelNotMatch,
		},
		names.InterPodAffinity: {
			interpodaffinity.ErrReasonAffinityRulesNotMatch, interpodaffinity.ErrReasonAntiAffinityRulesNotMatch,
			interpodaffinity.ErrReasonExistingAntiAffinityRulesNotMatch,
		},
	} {
		for _, quote := range quotes {
			if !strings.Contains(texts[plugin], "`"+quote+"`") {
				t.Errorf("%s: no `%s`", plugin, quote)
			}
		}
	}
}

// documented are the fields that the page explains of each type: "- **`Type`**: text. `field`, `field`: meaning; …".
func documented(page string) map[string][]string {
	entry := regexp.MustCompile("(?m)^- \\*\\*`(\\w+)`\\*\\*(.*\n(?: {2}.*\n)*)")
	explained := regexp.MustCompile("`\\w+`(?:,\\s+`\\w+`)*:")
	word, part := regexp.MustCompile(`\w+`), regexp.MustCompile("With\\s+`(\\w+)`\\.")
	out := map[string][]string{}
	for _, found := range entry.FindAllStringSubmatch(page, -1) {
		fields := []string{}
		for _, list := range explained.FindAllString(found[2], -1) {
			fields = append(fields, word.FindAllString(list, -1)...)
		}
		for _, embedded := range part.FindAllStringSubmatch(found[2], -1) {
			fields = append(fields, "+"+embedded[1])
		}
		out[found[1]] = append(out[found[1]], fields...)
	}
	return out
}

// jsonFields are the JSON fields of a struct type, with "+Name" for a struct whose fields it takes over.
func jsonFields(structType reflect.Type) []string {
	fields := []string{}
	for field := range structType.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name != "":
			fields = append(fields, name)
		case field.Type.PkgPath() == structType.PkgPath():
			fields = append(fields, "+"+field.Type.Name())
		default: // metav1.TypeMeta
			fields = append(fields, jsonFields(field.Type)...)
		}
	}
	return fields
}

// structsIn are a struct type of package report and all that its fields are made of, by name.
func structsIn(root reflect.Type) map[string]reflect.Type {
	found := map[string]reflect.Type{}
	var visit func(reflect.Type)
	visit = func(some reflect.Type) {
		switch some.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			visit(some.Elem())
		case reflect.Struct:
			if some.PkgPath() != root.PkgPath() || found[some.Name()] != nil {
				return
			}
			found[some.Name()] = some
			for field := range some.Fields() {
				visit(field.Type)
			}
		}
	}
	visit(root)
	return found
}

func TestReasonsPageExplainsEachFieldOfEachDetail(t *testing.T) {
	want := map[string][]string{}
	for _, detail := range report.DetailTypes() {
		for name, part := range structsIn(reflect.TypeOf(detail)) {
			want[name] = jsonFields(part)
		}
	}
	got := documented(readPage(t, reasonsPage))
	for _, fields := range slices.Concat(slices.Collect(maps.Values(want)), slices.Collect(maps.Values(got))) {
		slices.Sort(fields)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("types and fields in docs/reasons.md (-want +got):\n%s", diff)
	}
}

// place is where docs/output.md explains a type: the table below a heading, the first or the one after intro, or one
// row of it.
type place struct{ heading, intro, row string }

// places of the types below Explanation, Binding and Decision. A detail's are in docs/reasons.md.
var places = map[string]place{
	"Explanation":     {heading: "Explanation"},
	"Metadata":        {heading: "Explanation", row: "metadata"},
	"Rejection":       {heading: "A rejection: entries of `preFilter` and `filters`"},
	"Node":            {heading: "Nodes"},
	"Score":           {heading: "Nodes", row: "scores"},
	"Request":         {heading: "Requests"},
	"RequestPart":     {heading: "Requests", row: "from"},
	"NodeAmount":      {heading: "Requests", row: "largestNode"},
	"Next":            {heading: "Next"},
	"Story":           {heading: "Story"},
	"PluginVerdict":   {heading: "Story", intro: "Each of `plugins`"},
	"ResourceAccount": {heading: "Story", intro: "Each of `resources`"},
	"PodUsage":        {heading: "Story", intro: "Each of `pods`"},
	"Comparison":      {heading: "Comparison"},
	"ScoreDifference": {heading: "Comparison", row: "plugins"},
	"ScoreTotals":     {heading: "Comparison", row: "totals"},
	"Rejecting":       {heading: "Comparison", row: "rejectedBy"},
	"Fix":             {heading: "Fixes"},
	"Step":            {heading: "Fixes", intro: "Each of `steps`"},
	"Preemption":      {heading: "Preemption"},
	"Victim":          {heading: "Preemption", intro: "Each of `victims`"},
	"Candidate":       {heading: "Preemption", intro: "Each of `candidates`"},
	"NoCandidates":    {heading: "Preemption", intro: "Each of `nodes`"},
	"TerminatingPod":  {heading: "Preemption", row: "waitsFor"},
	"Binding":         {heading: "Binding"},
	"Cycle":           {heading: "Binding", intro: "The fields of `decision`"},
	"Overcommitment":  {heading: "Binding", intro: "Each of `overcommitted`"},
	"Decision":        {heading: "Decision"},
}

// rowsAt are the rows of the table at a place, by the field or fields in their first column.
func rowsAt(section string, at place) map[string]string {
	_, section, _ = strings.Cut(section, at.intro)
	_, table, _ := strings.Cut(section, "| field | meaning |\n|---|---|\n")
	rows := map[string]string{}
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "| ") {
			break
		}
		fields, meaning, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		for field := range strings.SplitSeq(fields, ", ") {
			rows[strings.Trim(field, "`")] = meaning
		}
	}
	return rows
}

func TestOutputPageExplainsEachField(t *testing.T) {
	_, sections := sectionsOf(readPage(t, outputPage), "###")
	types := structsIn(reflect.TypeFor[report.Explanation]())
	maps.Copy(types, structsIn(reflect.TypeFor[report.Binding]()))
	maps.Copy(types, structsIn(reflect.TypeFor[report.Decision]()))
	if diff := cmp.Diff(slices.Sorted(maps.Keys(types)), slices.Sorted(maps.Keys(places))); diff != "" {
		t.Errorf("types of the report and places that explain them (-want +got):\n%s", diff)
	}
	for name, structType := range types {
		at, fields := places[name], jsonFields(structType)
		for _, field := range fields {
			if embedded, ok := strings.CutPrefix(field, "+"); ok {
				fields = append(fields, jsonFields(types[embedded])...)
			}
		}
		fields = slices.DeleteFunc(fields, func(field string) bool { return strings.HasPrefix(field, "+") })
		rows := rowsAt(sections[at.heading], at)
		if at.row == "" {
			slices.Sort(fields)
			if diff := cmp.Diff(fields, slices.Sorted(maps.Keys(rows))); diff != "" {
				t.Errorf("docs/output.md, %s, fields of %s (-want +got):\n%s", at.heading, name, diff)
			}
			continue
		}
		for _, field := range fields {
			if !strings.Contains(rows[at.row], "`"+field+"`") {
				t.Errorf("docs/output.md, %s, row %s: no `%s` of %s", at.heading, at.row, field, name)
			}
		}
	}
}

// TestOutputPageShowsRealOutput runs the command above each example and looks for the example in what it prints.
func TestOutputPageShowsRealOutput(t *testing.T) {
	example := regexp.MustCompile("(?s)```yaml\n# kubectl sched ([^\n]*)\n(.*?)```")
	examples := example.FindAllStringSubmatch(readPage(t, outputPage), -1)
	if fences := strings.Count(readPage(t, outputPage), "```yaml"); len(examples) != fences || fences == 0 {
		t.Fatalf("%d of %d examples tell their command", len(examples), fences)
	}
	for _, one := range examples {
		_, stdout, stderr := execute(t, append(strings.Fields(one[1]),
			"--from", "../../testdata/clusters/shop.yaml", "-o", "yaml"))
		var want, got any
		if err := yaml.Unmarshal([]byte(one[2]), &want); err != nil {
			t.Fatalf("%s: the example: %v", one[1], err)
		}
		if err := yaml.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatalf("%s: %v\n%s", one[1], err, stderr)
		}
		if missing := missingIn(got, want, ""); missing != "" {
			t.Errorf("%s: the example has what the output has not: %s", one[1], missing)
		}
	}
}

// missingIn names the first part of an example that the output lacks; empty when it has all. Of lists an example may
// show some items, of objects some fields, and of texts that end in "…" the beginning.
func missingIn(got, want any, path string) string {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(want)) {
			value, found := object[key]
			if !found {
				return path + "." + key
			}
			if missing := missingIn(value, want[key], path+"."+key); missing != "" {
				return missing
			}
		}
		return ""
	case []any:
		list, isList := got.([]any)
		if !isList || len(want) == 0 && len(list) > 0 {
			return path
		}
		for _, item := range want {
			if !slices.ContainsFunc(list, func(has any) bool { return missingIn(has, item, path) == "" }) {
				return path + "[]"
			}
		}
		return ""
	case string:
		text, isText := got.(string)
		begin, isBegin := strings.CutSuffix(want, "…")
		if isText && (text == want || isBegin && strings.HasPrefix(text, begin)) {
			return ""
		}
	default:
		if got == want {
			return ""
		}
	}
	return path
}
