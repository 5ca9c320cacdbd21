package reason

import "context"

func volumeBinding(context.Context, Question) explain { return nil }
