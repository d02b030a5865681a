// Encryption and signatures by the server, held against the language's own.
package main

import (
	"context"
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"

	"github.com/ovh/kmip-go"
)

var plain = []byte("all that is gold does not glitter")

func (t *tour) ciphers() {
	if t.since(4) { // The fields of authenticated encryption came with 1.4.
		t.authenticated()
	}

	for name, mode := range map[string]kmip.BlockCipherMode{"CBC": kmip.BlockCipherModeCBC, "ECB": kmip.BlockCipherModeECB, "CTR": kmip.BlockCipherModeCTR, "OFB": kmip.BlockCipherModeOFB} {
		t.step("AES-"+name+" there and back", func() error { return t.thereAndBack(mode) })
	}
	t.step("the key's own parameters, and a random IV", func() error {
		id := t.client.Create().AES(256, cipherUsage).WithAttribute(kmip.AttributeNameCryptographicParameters,
			kmip.CryptographicParameters{CryptographicAlgorithm: kmip.CryptographicAlgorithmAES, BlockCipherMode: kmip.BlockCipherModeGCM, RandomIV: ptr(true)}).MustExec().UniqueIdentifier
		t.client.Activate(id).MustExec()
		answer := t.client.Encrypt(id).Data(plain).MustExec()
		back := t.client.Decrypt(id).WithIvCounterNonce(answer.IVCounterNonce).WithAuthTag(answer.AuthenticatedEncryptionTag).Data(answer.Data).MustExec()
		return first(equal(len(answer.IVCounterNonce), 12), equal(back.Data, plain))
	})
	for name, padding := range map[string]kmip.CryptographicParameters{
		"OAEP":        {PaddingMethod: kmip.PaddingMethodOAEP, HashingAlgorithm: kmip.HashingAlgorithmSHA_256, CryptographicAlgorithm: kmip.CryptographicAlgorithmRSA},
		"PKCS#1 v1.5": {PaddingMethod: kmip.PaddingMethodPKCS1V1_5, CryptographicAlgorithm: kmip.CryptographicAlgorithmRSA},
	} {
		t.step("RSA encryption, "+name, func() error {
			pair := t.rsaPair(kmip.CryptographicUsageDecrypt, kmip.CryptographicUsageEncrypt)
			answer := t.client.Encrypt(pair.PublicKeyUniqueIdentifier).WithCryptographicParameters(padding).Data(plain).MustExec()
			return equal(t.client.Decrypt(pair.PrivateKeyUniqueIdentifier).WithCryptographicParameters(padding).Data(answer.Data).MustExec().Data, plain)
		})
	}
}

func (t *tour) authenticated() {
	t.step("AES-GCM as the language decrypts it", func() error {
		id := t.activeKey(cipherUsage)
		nonce, extra := random(12), []byte("header")
		answer, err := t.client.Encrypt(id).WithIvCounterNonce(nonce).WithAAD(extra).WithCryptographicParameters(kmip.AES_GCM).Data(plain).Exec()
		if err != nil {
			return err
		}
		octets, _ := t.client.Get(id).MustExec().SymmetricKey()
		block, _ := aes.NewCipher(octets)
		gcm, _ := cipher.NewGCM(block)
		opened, err := gcm.Open(nil, nonce, append(append([]byte{}, answer.Data...), answer.AuthenticatedEncryptionTag...), extra)
		back := t.client.Decrypt(id).WithIvCounterNonce(nonce).WithAAD(extra).WithCryptographicParameters(kmip.AES_GCM).
			WithAuthTag(answer.AuthenticatedEncryptionTag).Data(answer.Data).MustExec()
		return first(err, equal(opened, plain), equal(back.Data, plain))
	})
	t.step("a changed tag is refused", func() error {
		id := t.activeKey(cipherUsage)
		answer := t.client.Encrypt(id).WithIvCounterNonce(random(12)).WithCryptographicParameters(kmip.AES_GCM).Data(plain).MustExec()
		_, err := t.client.Decrypt(id).WithIvCounterNonce(random(12)).WithCryptographicParameters(kmip.AES_GCM).WithAuthTag(answer.AuthenticatedEncryptionTag).Data(answer.Data).Exec()
		return mentions(err, "reason=")
	})
}

func (t *tour) thereAndBack(mode kmip.BlockCipherMode) error {
	id := t.activeKey(cipherUsage)
	parameters := kmip.CryptographicParameters{CryptographicAlgorithm: kmip.CryptographicAlgorithmAES, BlockCipherMode: mode, PaddingMethod: kmip.PaddingMethodPKCS5}
	encrypt := t.client.Encrypt(id).WithCryptographicParameters(parameters)
	decrypt := t.client.Decrypt(id).WithCryptographicParameters(parameters)
	if mode != kmip.BlockCipherModeECB {
		iv := random(16)
		encrypt, decrypt = encrypt.WithIvCounterNonce(iv), decrypt.WithIvCounterNonce(iv)
	}
	answer, err := encrypt.Data(plain).Exec()
	if err != nil {
		return err
	}
	return equal(decrypt.Data(answer.Data).MustExec().Data, plain)
}

func (t *tour) signatures() {
	digest := sha256.Sum256(plain)
	t.step("Sign, SignatureVerify", t.signAndVerify)
	if !t.since(4) { // The client signs digests, which came with 1.4.
		return
	}
	t.step("the client's signer with RSA", func() error {
		pair := t.rsaPair(kmip.CryptographicUsageSign, kmip.CryptographicUsageVerify)
		signer, err := t.client.Signer(context.Background(), pair.PrivateKeyUniqueIdentifier, "")
		if err != nil {
			return err
		}
		public := signer.Public().(*rsa.PublicKey)
		one, err := signer.Sign(rand.Reader, digest[:], crypto.SHA256)
		two, err2 := signer.Sign(rand.Reader, digest[:], &rsa.PSSOptions{Hash: crypto.SHA256})
		return first(err, err2, rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], one), rsa.VerifyPSS(public, crypto.SHA256, digest[:], two, nil))
	})
	t.step("the client's signer with ECDSA", func() error {
		pair := t.ecdsaPair(kmip.RecommendedCurveP_256)
		signer, err := t.client.Signer(context.Background(), pair.PrivateKeyUniqueIdentifier, pair.PublicKeyUniqueIdentifier)
		if err != nil {
			return err
		}
		signature, err := signer.Sign(rand.Reader, digest[:], crypto.SHA256)
		return first(err, equal(ecdsa.VerifyASN1(signer.Public().(*ecdsa.PublicKey), digest[:], signature), true))
	})
}

func (t *tour) signAndVerify() error {
	pair := t.rsaPair(kmip.CryptographicUsageSign, kmip.CryptographicUsageVerify)
	parameters := kmip.CryptographicParameters{DigitalSignatureAlgorithm: kmip.DigitalSignatureAlgorithmSHA_256WithRSAEncryption}
	signature := t.client.Sign(pair.PrivateKeyUniqueIdentifier).WithCryptographicParameters(parameters).Data(plain).MustExec().SignatureData
	verify := func(data []byte) kmip.ValidityIndicator {
		return t.client.SignatureVerify(pair.PublicKeyUniqueIdentifier).WithCryptographicParameters(parameters).Data(data).Signature(signature).MustExec().ValidityIndicator
	}
	return first(equal(verify(plain), kmip.ValidityIndicatorValid), equal(verify([]byte("other")), kmip.ValidityIndicatorInvalid))
}
