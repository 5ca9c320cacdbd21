package reason

import "context"

func schedulingGates(context.Context, Question) explain { return nil }
