package reason

import "context"

func volumeRestrictions(context.Context, Question) explain { return nil }
