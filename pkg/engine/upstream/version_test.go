package upstream_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

func TestVersionIsTheOneOfGoMod(t *testing.T) {
	data, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\s*k8s\.io/kubernetes (\S+)$`).FindSubmatch(data)
	if found == nil {
		t.Fatal("go.mod requires no k8s.io/kubernetes")
	}
	if got := string(found[1]); got != upstream.Version {
		t.Errorf("go.mod requires k8s.io/kubernetes %s, Version is %s", got, upstream.Version)
	}
}
