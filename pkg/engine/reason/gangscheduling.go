package reason

import "context"

func gangScheduling(context.Context, Question) explain { return nil }
