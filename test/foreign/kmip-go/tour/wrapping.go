// Keys that leave wrapped and come back, and objects that go by Export and Import.
package main

import (
	"context"

	"github.com/ovh/kmip-go"
	"github.com/ovh/kmip-go/payloads"
)

const wrapUsage = kmip.CryptographicUsageWrapKey | kmip.CryptographicUsageUnwrapKey

func wrapped(by string) kmip.KeyWrappingSpecification {
	return kmip.KeyWrappingSpecification{WrappingMethod: kmip.WrappingMethodEncrypt, EncryptionKeyInformation: &kmip.EncryptionKeyInformation{
		UniqueIdentifier: by, CryptographicParameters: &kmip.CryptographicParameters{BlockCipherMode: kmip.BlockCipherModeNISTKeyWrap, CryptographicAlgorithm: kmip.CryptographicAlgorithmAES}}}
}

func (t *tour) wrapping() {
	t.step("Get wrapped, Register wrapped", func() error {
		wrapper, key := t.activeKey(wrapUsage), t.key(cipherUsage)
		given := t.client.Get(key).WithKeyWrapping(wrapped(wrapper)).MustExec().Object.(*kmip.SymmetricKey)
		t.client.Register().Object(&kmip.SymmetricKey{KeyBlock: given.KeyBlock}).WithAttribute(kmip.AttributeNameCryptographicUsageMask, cipherUsage).MustExec()
		return equal(given.KeyBlock.KeyWrappingData.EncryptionKeyInformation.UniqueIdentifier, wrapper)
	})
	t.step("Get of a private key wrapped", func() error {
		wrapper, pair := t.activeKey(wrapUsage), t.ecdsaPair(kmip.RecommendedCurveP_256)
		given := t.client.Get(pair.PrivateKeyUniqueIdentifier).WithKeyWrapping(wrapped(wrapper)).MustExec().Object.(*kmip.PrivateKey)
		return equal(given.KeyBlock.KeyWrappingData != nil, true)
	})
	t.step("a key that must not wrap does not", func() error {
		_, err := t.client.Get(t.key(cipherUsage)).WithKeyWrapping(wrapped(t.activeKey(cipherUsage))).Exec()
		return mentions(err, "reason=")
	})
}

// imported sends the payload itself: the client's own Import leaves the object out.
func (t *tour) imported(id string, object kmip.Object, replace bool) (kmip.OperationPayload, error) {
	return t.client.Request(context.Background(), &payloads.ImportRequestPayload{UniqueIdentifier: id, ReplaceExisting: replace, Object: object,
		Attribute: []kmip.Attribute{{AttributeName: kmip.AttributeNameCryptographicUsageMask, AttributeValue: cipherUsage}}})
}

func (t *tour) transfers() {
	t.step("Export, Import", func() error {
		key := t.activeKey(cipherUsage)
		out := t.client.Export(key).MustExec()
		t.client.Revoke(key).MustExec()
		t.client.Destroy(key).MustExec()
		if _, err := t.imported(key, out.Object, true); err != nil {
			return err
		}
		back := t.client.Get(key).MustExec().Object.(*kmip.SymmetricKey)
		return equal(*back.KeyBlock.KeyValue.Plain.KeyMaterial.Bytes, *out.Object.(*kmip.SymmetricKey).KeyBlock.KeyValue.Plain.KeyMaterial.Bytes)
	})
	t.step("Import over an object that exists", func() error {
		key := t.key(cipherUsage)
		out := t.client.Export(key).MustExec()
		_, err := t.imported(key, out.Object, false)
		return refused(err, kmip.ResultReasonObjectAlreadyExists)
	})
	t.step("Sensitive and Extractable", func() error {
		hidden := t.client.Create().AES(256, cipherUsage).WithAttribute(kmip.AttributeNameSensitive, true).MustExec().UniqueIdentifier
		kept := t.client.Create().AES(256, cipherUsage).WithAttribute(kmip.AttributeNameExtractable, false).MustExec().UniqueIdentifier
		_, err := t.client.Get(hidden).Exec()
		_, err2 := t.client.Get(kept).Exec()
		return first(refused(err, kmip.ResultReasonSensitive), refused(err2, kmip.ResultReasonNotExtractable))
	})
}
