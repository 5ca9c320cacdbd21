package reason

import "context"

func nodeDeclaredFeatures(context.Context, Question) explain { return nil }
