package reason

import "context"

func deferredPodScheduling(context.Context, Question) explain { return nil }
