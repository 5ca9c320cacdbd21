package cluster

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// inParallel calls do with 0 to n-1 on all processors and returns the error of the lowest index that failed. Indexes
// are handed out in order, so that the error is the same however the calls interleave.
func inParallel(ctx context.Context, n int, do func(i int) error) error {
	var next, failed atomic.Int64
	failed.Store(int64(n))
	errs := make([]error, n)
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= failed.Load() {
					return
				}
				if errs[i] = do(int(i)); errs[i] != nil {
					lower(&failed, i)
				}
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	if i := failed.Load(); i < int64(n) {
		return errs[i]
	}
	return nil
}

// lower sets value to i when i is lower.
func lower(value *atomic.Int64, i int64) {
	for old := value.Load(); i < old && !value.CompareAndSwap(old, i); {
		old = value.Load()
	}
}
