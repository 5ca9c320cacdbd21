package reason

import "context"

func interPodAffinity(context.Context, Question) explain { return nil }
