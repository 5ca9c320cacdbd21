package reason

import "context"

func nodeUnschedulable(context.Context, Question) explain { return nil }
