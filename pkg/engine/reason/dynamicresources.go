package reason

import "context"

func dynamicResources(context.Context, Question) explain { return nil }
