// Steps of JWE: each way to manage a key with each way to encrypt the content.
package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

var contentKeyBytes = map[jose.ContentEncryption]int{
	jose.A128GCM: 16, jose.A192GCM: 24, jose.A256GCM: 32,
	jose.A128CBC_HS256: 32, jose.A192CBC_HS384: 48, jose.A256CBC_HS512: 64,
}

// The parts of a JWE in the order of its compact form (RFC 7516 section 3.1).
var parts = []string{"protected", "encrypted_key", "iv", "ciphertext", "tag"}

// sealing is one pair of algorithms and the keys of both ends: the same for a secret.
type sealing struct {
	algorithm jose.KeyAlgorithm
	content   jose.ContentEncryption
	whole     any
	public    any
	// What the key is for, where the key alone does not say it.
	intended string
}

func (each sealing) name() string {
	return fmt.Sprintf("%s %s %s", each.algorithm, each.content, shape(each.whole))
}

func sealings(content jose.ContentEncryption) []sealing {
	direct := secret(contentKeyBytes[content])
	all := []sealing{
		{jose.DIRECT, content, direct, direct, string(content)},
		{jose.RSA_OAEP, content, rsaKey, rsaKey.Public(), ""},
		{jose.RSA_OAEP_256, content, rsaKey, rsaKey.Public(), ""},
	}
	for algorithm, bytes := range map[jose.KeyAlgorithm]int{jose.A128KW: 16, jose.A192KW: 24, jose.A256KW: 32} {
		wrapping := secret(bytes)
		all = append(all, sealing{algorithm, content, wrapping, wrapping, string(algorithm)})
	}
	for _, algorithm := range []jose.KeyAlgorithm{jose.ECDH_ES, jose.ECDH_ES_A128KW, jose.ECDH_ES_A192KW, jose.ECDH_ES_A256KW} {
		for _, key := range curves {
			all = append(all, sealing{algorithm, content, key, key.Public(), ""})
		}
	}
	return all
}

func encryptionSteps() []step {
	var steps []step
	for content := range contentKeyBytes {
		for _, each := range sealings(content) {
			steps = append(steps,
				step{each.name() + ": the server seals", each.serverSeals},
				step{each.name() + ": go-jose seals", each.clientSeals},
			)
		}
	}
	return steps
}

func (each sealing) serverSeals(known *server) error {
	key, err := known.imported(each.whole, each.intended)
	if err != nil {
		return err
	}
	data := base64.RawURLEncoding.EncodeToString([]byte(text))
	sealed, err := known.call("encrypt", map[string]string{"kid": key.public, "alg": string(each.algorithm), "enc": string(each.content), "data": data})
	if err != nil {
		return err
	}
	compact := make([]string, len(parts))
	for at, part := range parts {
		compact[at] = sealed.text(part)
	}
	message, err := jose.ParseEncryptedCompact(strings.Join(compact, "."), []jose.KeyAlgorithm{each.algorithm}, []jose.ContentEncryption{each.content})
	if err != nil {
		return err
	}
	opened, err := message.Decrypt(each.whole)
	return errors.Join(err, equal("text", string(opened), text), equal("kid", message.Header.KeyID, key.public))
}

func (each sealing) clientSeals(known *server) error {
	key, err := known.imported(each.whole, each.intended)
	if err != nil {
		return err
	}
	encrypter, err := jose.NewEncrypter(each.content, jose.Recipient{Algorithm: each.algorithm, Key: each.public, KeyID: key.own}, nil)
	if err != nil {
		return err
	}
	message, err := encrypter.Encrypt([]byte(text))
	if err != nil {
		return err
	}
	compact, err := message.CompactSerialize()
	if err != nil {
		return err
	}
	sealed := map[string]string{}
	for at, part := range strings.Split(compact, ".") {
		sealed[parts[at]] = part
	}
	opened, err := known.call("decrypt", sealed)
	if err != nil {
		return err
	}
	return errors.Join(equal("data", opened.text("data"), base64.RawURLEncoding.EncodeToString([]byte(text))), equal("kid", opened.text("kid"), key.own))
}
