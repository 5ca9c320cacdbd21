package serve

import (
	"context"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// verdict is what the API server says of a request.
type verdict struct {
	// user is whose token it is; nil when the token is not valid.
	user    *authenticationv1.UserInfo
	allowed bool
}

// review asks the API server whose token it is, and whether they may get the path. No token is the anonymous user's.
func review(ctx context.Context, client kubernetes.Interface, token, path string) (verdict, error) {
	user := &authenticationv1.UserInfo{Username: "system:anonymous", Groups: []string{"system:unauthenticated"}}
	if token != "" {
		var err error
		if user, err = reviewToken(ctx, client, token); err != nil || user == nil {
			return verdict{}, err
		}
	}
	allowed, err := reviewAccess(ctx, client, user, path)
	return verdict{user: user, allowed: allowed}, err
}

// reviewToken returns whose token it is; nil when it is not valid.
func reviewToken(ctx context.Context, client kubernetes.Interface, token string) (*authenticationv1.UserInfo, error) {
	review, err := client.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{
		Spec: authenticationv1.TokenReviewSpec{Token: token},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("asking whose token it is: %w", err)
	}
	if !review.Status.Authenticated {
		return nil, nil
	}
	return &review.Status.User, nil
}

// reviewAccess tells whether the user may get a path that is no resource's.
func reviewAccess(
	ctx context.Context, client kubernetes.Interface, user *authenticationv1.UserInfo, path string,
) (bool, error) {
	extra := make(map[string]authorizationv1.ExtraValue, len(user.Extra))
	for key, value := range user.Extra {
		extra[key] = authorizationv1.ExtraValue(value)
	}
	review, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User:                  user.Username,
			UID:                   user.UID,
			Groups:                user.Groups,
			Extra:                 extra,
			NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: path, Verb: "get"},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("asking whether user %q may get it: %w", user.Username, err)
	}
	return review.Status.Allowed && !review.Status.Denied, nil
}
