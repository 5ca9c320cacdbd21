package reason

import "context"

func nodePorts(context.Context, Question) explain { return nil }
