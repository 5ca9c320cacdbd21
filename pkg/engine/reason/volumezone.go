package reason

import "context"

func volumeZone(context.Context, Question) explain { return nil }
