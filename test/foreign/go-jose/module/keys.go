// The keys that go-jose makes and the server imports.
package main

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
)

const rsaBits = 2048

var rsaKey = must(rsa.GenerateKey(rand.Reader, rsaBits))

var curves = map[string]*ecdsa.PrivateKey{
	"P-256": must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)),
	"P-384": must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)),
	"P-521": must(ecdsa.GenerateKey(elliptic.P521(), rand.Reader)),
}

var edwardsKey = newEdwards()

func newEdwards() ed25519.PrivateKey {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	return must(private, err)
}

func secret(bytes int) []byte {
	value := make([]byte, bytes)
	rand.Read(value)
	return value
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
