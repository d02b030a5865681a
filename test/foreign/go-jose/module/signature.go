// Steps of JWS: each algorithm of signatures, and MACs over the signing input.
package main

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

type signing struct {
	algorithm jose.SignatureAlgorithm
	whole     any
	public    any
}

func signings() []signing {
	all := []signing{
		{jose.ES256, curves["P-256"], curves["P-256"].Public()},
		{jose.ES384, curves["P-384"], curves["P-384"].Public()},
		{jose.ES512, curves["P-521"], curves["P-521"].Public()},
		{jose.EdDSA, edwardsKey, edwardsKey.Public()},
	}
	for _, algorithm := range []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512} {
		all = append(all, signing{algorithm, rsaKey, rsaKey.Public()})
	}
	return all
}

func signatureSteps() []step {
	var steps []step
	for _, each := range signings() {
		steps = append(steps,
			step{string(each.algorithm) + ": the server signs", each.serverSigns},
			step{string(each.algorithm) + ": go-jose signs", each.clientSigns},
		)
	}
	return steps
}

func (each signing) serverSigns(known *server) error {
	key, err := known.imported(each.whole, "")
	if err != nil {
		return err
	}
	data := base64.RawURLEncoding.EncodeToString([]byte(text))
	signed, err := known.call("sign", map[string]string{"kid": key.own, "alg": string(each.algorithm), "data": data})
	if err != nil {
		return err
	}
	message, err := jose.ParseSignedCompact(signed.text("protected")+"."+data+"."+signed.text("signature"), []jose.SignatureAlgorithm{each.algorithm})
	if err != nil {
		return err
	}
	verified, err := message.Verify(each.public)
	return errors.Join(err, equal("text", string(verified), text))
}

func (each signing) clientSigns(known *server) error {
	key, err := known.imported(each.whole, "")
	if err != nil {
		return err
	}
	compact, err := signedCompact(each.algorithm, each.whole, key.own)
	if err != nil {
		return err
	}
	part := strings.Split(compact, ".")
	right, err := known.call("verify", map[string]string{"protected": part[0], "data": part[1], "signature": part[2]})
	if err != nil {
		return err
	}
	wrong, err := known.call("verify", map[string]string{"protected": part[0], "data": part[1] + "AAAA", "signature": part[2]})
	return errors.Join(err, equal("valid", right["valid"], true), equal("valid with other data", wrong["valid"], false))
}

func macSteps() []step {
	var steps []step
	for algorithm, bytes := range map[jose.SignatureAlgorithm]int{jose.HS256: 32, jose.HS384: 48, jose.HS512: 64} {
		steps = append(steps, step{string(algorithm) + ": both make the same MAC", func(known *server) error { return sameMAC(known, algorithm, secret(bytes)) }})
	}
	return steps
}

func sameMAC(known *server, algorithm jose.SignatureAlgorithm, key []byte) error {
	there, err := known.imported(key, string(algorithm))
	if err != nil {
		return err
	}
	compact, err := signedCompact(algorithm, key, there.own)
	if err != nil {
		return err
	}
	end := strings.LastIndex(compact, ".")
	input := base64.RawURLEncoding.EncodeToString([]byte(compact[:end]))
	made, err := known.call("mac", map[string]string{"kid": there.own, "alg": string(algorithm), "data": input})
	if err != nil {
		return err
	}
	return equal("mac", made.text("mac"), compact[end+1:])
}

func signedCompact(algorithm jose.SignatureAlgorithm, key any, kid string) (string, error) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: jose.JSONWebKey{Key: key, KeyID: kid}}, nil)
	if err != nil {
		return "", err
	}
	message, err := signer.Sign([]byte(text))
	if err != nil {
		return "", err
	}
	return message.CompactSerialize()
}

// shape names the kind of a key.
func shape(key any) string {
	switch known := key.(type) {
	case *ecdsa.PrivateKey:
		return known.Curve.Params().Name
	case *rsa.PrivateKey:
		return "RSA"
	case ed25519.PrivateKey:
		return "Ed25519"
	default:
		return "secret"
	}
}
