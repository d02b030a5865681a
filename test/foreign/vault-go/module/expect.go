// What a step expects of the client: values, and refusals by their status and words.
package main

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/openbao/openbao/api/v2"
)

const tokenDenied = "the app token is missing, invalid, expired or revoked"

// equal says what came in place of what was expected.
func equal(what string, actual, expected any) error {
	if reflect.DeepEqual(actual, expected) {
		return nil
	}
	return fmt.Errorf("%s: %v in place of %v", what, actual, expected)
}

// refused says what came in place of a refusal with this status and these words.
func refused(err error, status int, said string) error {
	var answer *api.ResponseError
	if !errors.As(err, &answer) {
		return fmt.Errorf("%v in place of a refusal with %d", err, status)
	}
	return errors.Join(
		equal("status", answer.StatusCode, status),
		equal("errors", answer.Errors, []string{said}),
		equal("form", answer.RawError, false),
	)
}
