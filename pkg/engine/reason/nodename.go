package reason

import "context"

func nodeName(context.Context, Question) explain { return nil }
