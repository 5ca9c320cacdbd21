package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// maxTable is how much of an answer is read, in bytes: room for some 50,000 Pods, more than come in time.
const maxTable = 16 << 20

// liveCatalog is that of a cluster. It asks for tables, as kubectl get does: a row is a small part of its object.
type liveCatalog struct{ config *rest.Config }

func newLiveCatalog(config *rest.Config) liveCatalog {
	config.WarningHandler = rest.NoWarnings{}
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	if config.ExecProvider != nil {
		config.ExecProvider.StdinUnavailable = true // nobody can answer a question while the shell completes
	}
	return liveCatalog{config}
}

func (l liveCatalog) names(ctx context.Context, kind *cluster.Kind, namespace string) []choice {
	return sorted(l.notes(ctx, kind, namespace, nil))
}

func (l liveCatalog) waiting(ctx context.Context, namespace string, schedulers []choice) []choice {
	pods := cluster.KindOf(&corev1.Pod{})
	waiting := fields.Set{"spec.nodeName": "", "status.phase": string(corev1.PodPending)}
	if schedulers == nil {
		return sorted(l.notes(ctx, pods, namespace, waiting))
	}
	all := map[string]string{}
	for _, scheduler := range schedulers {
		waiting["spec.schedulerName"] = scheduler.word
		maps.Copy(all, l.notes(ctx, pods, namespace, waiting))
	}
	return sorted(all)
}

func (l liveCatalog) namespaces(ctx context.Context) []choice {
	return l.names(ctx, cluster.KindOf(&corev1.Namespace{}), "")
}

func sorted(notes map[string]string) []choice {
	choices := sortedNames(notes)
	for i, choice := range choices {
		choices[i].note = notes[choice.word]
	}
	return choices
}

// notes are the names of the objects whose fields are as given, each with what is to be shown beside it.
func (l liveCatalog) notes(ctx context.Context, kind *cluster.Kind, namespace string, selected fields.Set,
) map[string]string {
	table, err := l.table(ctx, kind, namespace, selected)
	if err != nil {
		return nil
	}
	status := slices.IndexFunc(table.ColumnDefinitions, func(column metav1.TableColumnDefinition) bool {
		return kind.Kind == "Pod" && column.Name == "Status"
	})
	notes := map[string]string{}
	for _, row := range table.Rows {
		var object metav1.PartialObjectMetadata
		if len(row.Cells) == 0 || row.Object.Raw != nil && json.Unmarshal(row.Object.Raw, &object) != nil {
			continue
		}
		note := object.Labels[corev1.LabelTopologyZone]
		if status >= 0 && status < len(row.Cells) {
			note = fmt.Sprint(row.Cells[status])
		}
		notes[fmt.Sprint(row.Cells[0])] = note
	}
	return notes
}

// table reads one list from the API server's watch cache, and of the objects in it the metadata if its labels are
// wanted: those of Nodes.
func (l liveCatalog) table(ctx context.Context, kind *cluster.Kind, namespace string, selected fields.Set,
) (*metav1.Table, error) {
	version := kind.GroupVersion()
	config := rest.CopyConfig(l.config)
	config.GroupVersion, config.APIPath = &version, "/apis"
	if version.Group == corev1.GroupName {
		config.APIPath = "/api"
	}
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	include := metav1.IncludeNone
	if kind.Kind == "Node" {
		include = metav1.IncludeMetadata
	}
	body, err := client.Get().
		NamespaceIfScoped(namespace, kind.Namespaced).
		Resource(kind.Resource).
		Param("resourceVersion", "0").
		Param("fieldSelector", selected.AsSelector().String()).
		Param("includeObject", string(include)).
		SetHeader("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1").
		Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	var table metav1.Table
	return &table, json.NewDecoder(io.LimitReader(body, maxTable)).Decode(&table)
}
