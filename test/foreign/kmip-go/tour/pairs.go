// Pairs that the server makes, and objects that replace others.
package main

import (
	"github.com/ovh/kmip-go"
	"github.com/ovh/kmip-go/payloads"
)

func (t *tour) linked(id string, kind kmip.LinkType) string {
	for _, attribute := range t.client.GetAttributes(id, kmip.AttributeNameLink).MustExec().Attribute {
		if link, ok := attribute.AttributeValue.(kmip.Link); ok && link.LinkType == kind {
			return link.LinkedObjectIdentifier
		}
	}
	return ""
}

func (t *tour) rsaPair(private, public kmip.CryptographicUsageMask) *payloads.CreateKeyPairResponsePayload {
	pair := t.client.CreateKeyPair().RSA(2048, private, public).MustExec()
	t.client.Activate(pair.PrivateKeyUniqueIdentifier).MustExec()
	t.client.Activate(pair.PublicKeyUniqueIdentifier).MustExec()
	return pair
}

func (t *tour) ecdsaPair(curve kmip.RecommendedCurve) *payloads.CreateKeyPairResponsePayload {
	pair := t.client.CreateKeyPair().ECDSA(curve, kmip.CryptographicUsageSign, kmip.CryptographicUsageVerify).MustExec()
	t.client.Activate(pair.PrivateKeyUniqueIdentifier).MustExec()
	t.client.Activate(pair.PublicKeyUniqueIdentifier).MustExec()
	return pair
}

func (t *tour) pairs() {
	t.step("CreateKeyPair of RSA", func() error {
		pair := t.rsaPair(kmip.CryptographicUsageSign, kmip.CryptographicUsageVerify)
		private, err := t.client.Get(pair.PrivateKeyUniqueIdentifier).MustExec().RsaPrivateKey()
		public, err2 := t.client.Get(pair.PublicKeyUniqueIdentifier).MustExec().RsaPublicKey()
		return first(err, err2, equal(private.PublicKey.Equal(public), true),
			equal(t.linked(pair.PrivateKeyUniqueIdentifier, kmip.LinkTypePublicKeyLink), pair.PublicKeyUniqueIdentifier),
			equal(t.linked(pair.PublicKeyUniqueIdentifier, kmip.LinkTypePrivateKeyLink), pair.PrivateKeyUniqueIdentifier))
	})
	for name, curve := range map[string]kmip.RecommendedCurve{"P-256": kmip.RecommendedCurveP_256, "P-384": kmip.RecommendedCurveP_384, "P-521": kmip.RecommendedCurveP_521} {
		t.step("CreateKeyPair of "+name, func() error {
			pair := t.ecdsaPair(curve)
			private, err := t.client.Get(pair.PrivateKeyUniqueIdentifier).MustExec().EcdsaPrivateKey()
			public, err2 := t.client.Get(pair.PublicKeyUniqueIdentifier).MustExec().EcdsaPublicKey()
			return first(err, err2, equal(private.PublicKey.Equal(public), true))
		})
	}
	t.step("CreateKeyPair with a name for each half", func() error {
		name := named("half")
		pair := t.client.CreateKeyPair().ECDSA(kmip.RecommendedCurveP_256, kmip.CryptographicUsageSign, kmip.CryptographicUsageVerify).
			PrivateKey().WithName(name + " private").PublicKey().WithName(name + " public").MustExec()
		found := t.client.Locate().WithName(name + " public").MustExec().UniqueIdentifier
		return equal(found, []string{pair.PublicKeyUniqueIdentifier})
	})
}

func (t *tour) replacement() {
	t.step("Rekey", func() error {
		name := named("rekey")
		old := t.client.Create().AES(256, cipherUsage).WithName(name).MustExec().UniqueIdentifier
		t.client.Activate(old).MustExec()
		fresh := t.client.Rekey(old).MustExec().UniqueIdentifier
		return first(equal(t.linked(old, kmip.LinkTypeReplacementObjectLink), fresh), equal(t.linked(fresh, kmip.LinkTypeReplacedObjectLink), old),
			equal(t.client.Locate().WithName(name).MustExec().UniqueIdentifier, []string{fresh}))
	})
	t.step("Rekey of a key that is not active yet", func() error {
		old := t.key(cipherUsage)
		fresh := t.client.Rekey(old).MustExec().UniqueIdentifier
		return equal(t.linked(old, kmip.LinkTypeReplacementObjectLink), fresh)
	})
	if t.since(1) {
		t.step("RekeyKeyPair", func() error {
			old := t.ecdsaPair(kmip.RecommendedCurveP_256)
			fresh := t.client.RekeyKeyPair(old.PrivateKeyUniqueIdentifier).MustExec()
			return first(equal(t.linked(old.PrivateKeyUniqueIdentifier, kmip.LinkTypeReplacementObjectLink), fresh.PrivateKeyUniqueIdentifier),
				equal(t.linked(old.PublicKeyUniqueIdentifier, kmip.LinkTypeReplacementObjectLink), fresh.PublicKeyUniqueIdentifier))
		})
	}
}
