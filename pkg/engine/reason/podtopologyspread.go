package reason

import "context"

func podTopologySpread(context.Context, Question) explain { return nil }
