// What a step expects of an answer.
package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/ovh/kmip-go"
	"github.com/ovh/kmip-go/ttlv"
)

func equal(got, wanted any) error {
	if a, ok := got.([]byte); ok {
		if b, ok := wanted.([]byte); ok && bytes.Equal(a, b) {
			return nil
		}
	}
	if !reflect.DeepEqual(got, wanted) {
		return fmt.Errorf("got %v, expected %v", got, wanted)
	}
	return nil
}

// refused holds a failure against the reason that the standard gives it; the client puts the reason in its text.
func refused(err error, reason kmip.ResultReason) error {
	return mentions(err, fmt.Sprintf("reason=%q", ttlv.EnumStr(reason)))
}

func mentions(err error, words ...string) error {
	if err == nil {
		return errors.New("was served, expected a refusal")
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			return fmt.Errorf("%q does not say %q", err.Error(), word)
		}
	}
	return nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func random(size int) []byte {
	octets := make([]byte, size)
	_, _ = rand.Read(octets)
	return octets
}

// named is a name that no other object of the tour has.
func named(what string) string { return fmt.Sprintf("%s %x", what, random(6)) }
