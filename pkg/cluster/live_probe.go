package cluster

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// Probe asks a running cluster for one object of each kind. It returns a State without objects: the server's version
// and a Gap with its error for every kind that cannot be listed, Nodes and Pods included. It fails when the API
// server does not answer.
func Probe(ctx context.Context, config *rest.Config, kinds []*Kind) (*State, error) {
	api, err := connect(config)
	if err != nil {
		return nil, err
	}
	version, err := api.version(ctx)
	if err != nil {
		return nil, err
	}
	state := &State{Source: FromServer, ServerVersion: version}
	kinds = liveKinds(kinds)
	failures := make([]error, len(kinds))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelLists)
	for i, kind := range kinds {
		group.Go(func() error {
			failures[i] = api.probe(ctx, kind)
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("reading the cluster: %w", err)
	}
	for i, failure := range failures {
		if failure != nil {
			gap := gapOf(kinds[i], failure)
			gap.Err = cannotList(kinds[i], failure)
			state.Gaps = append(state.Gaps, gap)
		}
	}
	return state, nil
}

func (c *connection) probe(ctx context.Context, kind *Kind) error {
	client, err := c.client(kind.GroupVersion())
	if err != nil {
		return err
	}
	_, err = c.page(ctx, client, listing{kind: kind, trim: func(Object) {}}, metav1.ListOptions{Limit: 1})
	return err
}
