package cluster

import "context"

// ReadFiles reads the state of a cluster that was saved in files, by whatever tool: YAML and JSON in any of their
// shapes. Objects that no scheduler reads are skipped, and of an object that is given several times the newest counts;
// the State's Warnings tell. What cannot be read is an error that says where it is.
func ReadFiles(ctx context.Context, files []File) (*State, error) {
	r := reader{wants: func(*Kind) bool { return true }, namespace: "default"}
	c := newCollector()
	for _, file := range files {
		all, err := r.read(ctx, file)
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			c.aside.empty = append(c.aside.empty, file.Name)
		}
		for i := range all {
			c.add(&all[i])
		}
	}
	if len(c.seen) == 0 {
		return nil, c.aside.nothing(files, "objects that a scheduler reads",
			"save a cluster with `kubectl get nodes,pods -A -o yaml`")
	}
	return c.state(), nil
}
