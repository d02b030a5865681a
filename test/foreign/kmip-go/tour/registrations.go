// Objects that the client brings: secrets, keys in every format, certificates, split keys, opaque data.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"time"

	"github.com/ovh/kmip-go"
	"github.com/ovh/kmip-go/kmipclient"
)

var rsaKey, _ = rsa.GenerateKey(rand.Reader, 2048)

var curves = map[string]elliptic.Curve{"P-256": elliptic.P256(), "P-384": elliptic.P384(), "P-521": elliptic.P521()}

func (t *tour) registrations() {
	t.secrets()
	t.keyFormats()
	t.certificate()
	t.step("Register of a split key", func() error {
		part := &kmip.SplitKey{SplitKeyParts: 2, KeyPartIdentifier: 1, SplitKeyThreshold: 2, SplitKeyMethod: kmip.SplitKeyMethodXOR,
			KeyBlock: kmip.KeyBlock{KeyFormatType: kmip.KeyFormatTypeRaw, CryptographicAlgorithm: kmip.CryptographicAlgorithmAES, CryptographicLength: 128,
				KeyValue: &kmip.KeyValue{Plain: &kmip.PlainKeyValue{KeyMaterial: kmip.KeyMaterial{Bytes: ptr(random(16))}}}}}
		id := t.client.Register().Object(part).WithAttribute(kmip.AttributeNameCryptographicUsageMask, cipherUsage).MustExec().UniqueIdentifier
		got, ok := t.client.Get(id).MustExec().Object.(*kmip.SplitKey)
		return first(equal(ok, true), equal(got.SplitKeyMethod, kmip.SplitKeyMethodXOR), equal(*got.KeyBlock.KeyValue.Plain.KeyMaterial.Bytes, *part.KeyBlock.KeyValue.Plain.KeyMaterial.Bytes))
	})
	t.step("Register of opaque data", func() error {
		data := random(40)
		id := t.client.Register().Object(&kmip.OpaqueObject{OpaqueDataType: kmip.OpaqueDataType(0x80000001), OpaqueDataValue: data}).MustExec().UniqueIdentifier
		got, ok := t.client.Get(id).MustExec().Object.(*kmip.OpaqueObject)
		return first(equal(ok, true), equal(got.OpaqueDataValue, data), equal(t.attribute(id, kmip.AttributeNameState), nil))
	})
}

func ptr[T any](value T) *T { return &value }

func (t *tour) secrets() {
	t.step("Register of secret data", func() error {
		id := t.client.Register().SecretString(kmip.SecretDataTypePassword, "correct horse").WithName(named("secret")).MustExec().UniqueIdentifier
		text, err := t.client.Get(id).MustExec().SecretString()
		return first(err, equal(text, "correct horse"))
	})
	t.step("Register of a seed", func() error {
		seed := random(32)
		id := t.client.Register().Secret(kmip.SecretDataTypeSeed, seed).MustExec().UniqueIdentifier
		got, err := t.client.Get(id).MustExec().Secret()
		return first(err, equal(got, seed))
	})
}

func (t *tour) keyFormats() {
	for name, format := range map[string]kmipclient.KeyFormat{"raw": kmipclient.RAW, "transparent": kmipclient.Transparent} {
		t.step("Register of a symmetric key, "+name, func() error {
			octets := random(24)
			id := t.client.Register().WithKeyFormat(format).SymmetricKey(kmip.CryptographicAlgorithmAES, cipherUsage, octets).MustExec().UniqueIdentifier
			got, err := t.client.Get(id).MustExec().SymmetricKey()
			return first(err, equal(got, octets))
		})
	}
	for name, format := range map[string]kmipclient.KeyFormat{"PKCS#1": kmipclient.PKCS1, "PKCS#8": kmipclient.PKCS8 | kmipclient.X509, "transparent": kmipclient.Transparent} {
		t.step("Register of an RSA pair, "+name, func() error {
			private := t.client.Register().WithKeyFormat(format).RsaPrivateKey(rsaKey, kmip.CryptographicUsageSign).MustExec().UniqueIdentifier
			public := t.client.Register().WithKeyFormat(format).RsaPublicKey(&rsaKey.PublicKey, kmip.CryptographicUsageVerify).
				WithLink(kmip.LinkTypePrivateKeyLink, private).MustExec().UniqueIdentifier
			got, err := t.client.Get(private).MustExec().RsaPrivateKey()
			half, err2 := t.client.Get(public).MustExec().RsaPublicKey()
			return first(err, err2, equal(got.Equal(rsaKey), true), equal(half.Equal(&rsaKey.PublicKey), true))
		})
	}
	for curve, parameters := range curves {
		key, _ := ecdsa.GenerateKey(parameters, rand.Reader)
		for name, format := range map[string]kmipclient.KeyFormat{"SEC 1": kmipclient.SEC1 | kmipclient.X509, "PKCS#8": kmipclient.PKCS8 | kmipclient.X509, "transparent": kmipclient.Transparent} {
			t.step("Register of a pair of "+curve+", "+name, func() error { return t.ecPair(key, format) })
		}
	}
}

func (t *tour) ecPair(key *ecdsa.PrivateKey, format kmipclient.KeyFormat) error {
	private := t.client.Register().WithKeyFormat(format).EcdsaPrivateKey(key, kmip.CryptographicUsageSign).MustExec().UniqueIdentifier
	public := t.client.Register().WithKeyFormat(format).EcdsaPublicKey(&key.PublicKey, kmip.CryptographicUsageVerify).MustExec().UniqueIdentifier
	got, err := t.client.Get(private).MustExec().EcdsaPrivateKey()
	half, err2 := t.client.Get(public).MustExec().EcdsaPublicKey()
	return first(err, err2, equal(got.Equal(key), true), equal(half.Equal(&key.PublicKey), true))
}

func (t *tour) certificate() {
	t.step("Register of a certificate", func() error {
		template := x509.Certificate{SerialNumber: big.NewInt(4711), Subject: pkix.Name{CommonName: "tour"}, NotBefore: time.Now(), NotAfter: time.Now().AddDate(1, 0, 0)}
		der, err := x509.CreateCertificate(rand.Reader, &template, &template, &rsaKey.PublicKey, rsaKey)
		if err != nil {
			return err
		}
		id := t.client.Register().Certificate(kmip.CertificateTypeX_509, der).WithName(named("certificate")).MustExec().UniqueIdentifier
		got, err := t.client.Get(id).MustExec().X509Certificate()
		return first(err, equal(got.Raw, der), equal(t.attribute(id, kmip.AttributeNameCertificateType), kmip.CertificateTypeX_509))
	})
}
