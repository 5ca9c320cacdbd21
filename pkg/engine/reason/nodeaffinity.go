package reason

import "context"

func nodeAffinity(context.Context, Question) explain { return nil }
