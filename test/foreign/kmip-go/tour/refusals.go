// What is refused, and under which reason.
package main

import (
	"context"

	"github.com/ovh/kmip-go"
	"github.com/ovh/kmip-go/payloads"
	"github.com/ovh/kmip-go/ttlv"
)

func (t *tour) refusals() {
	t.step("a second Destroy", func() error {
		id := t.key(cipherUsage)
		t.client.Destroy(id).MustExec()
		_, err := t.client.Destroy(id).Exec()
		return refused(err, kmip.ResultReasonPermissionDenied)
	})
	t.step("an active key is not destroyed", func() error {
		_, err := t.client.Destroy(t.activeKey(cipherUsage)).Exec()
		return refused(err, kmip.ResultReasonPermissionDenied)
	})
	t.step("Create without a usage mask", func() error {
		_, err := t.client.Request(context.Background(), &payloads.CreateRequestPayload{ObjectType: kmip.ObjectTypeSymmetricKey, TemplateAttribute: kmip.TemplateAttribute{Attribute: []kmip.Attribute{
			{AttributeName: kmip.AttributeNameCryptographicAlgorithm, AttributeValue: kmip.CryptographicAlgorithmAES},
			{AttributeName: kmip.AttributeNameCryptographicLength, AttributeValue: int32(128)},
		}}})
		return mentions(err, "reason=", "Cryptographic Usage Mask")
	})
	t.step("an operation that nobody knows", func() error {
		_, err := t.client.Request(context.Background(), kmip.NewUnknownPayload(0x8000041, ttlv.Value{Tag: kmip.TagUniqueIdentifier, Value: "abcdef"}))
		return mentions(err, "reason=")
	})
	t.step("an RSA key that is none", func() error {
		material := kmip.KeyMaterial{Bytes: ptr([]byte("no key at all"))}
		_, err := t.client.Register().Object(&kmip.PrivateKey{KeyBlock: kmip.KeyBlock{KeyFormatType: kmip.KeyFormatTypePKCS_1, CryptographicAlgorithm: kmip.CryptographicAlgorithmRSA,
			CryptographicLength: 2048, KeyValue: &kmip.KeyValue{Plain: &kmip.PlainKeyValue{KeyMaterial: material}}}}).
			WithAttribute(kmip.AttributeNameCryptographicUsageMask, kmip.CryptographicUsageSign).Exec()
		return mentions(err, "reason=")
	})
	missing := "8e4b1a9e-1111-4222-8333-000000000000"
	for name, run := range map[string]func() error{
		"Get":              func() error { _, err := t.client.Get(missing).Exec(); return err },
		"GetAttributes":    func() error { _, err := t.client.GetAttributes(missing).Exec(); return err },
		"Activate":         func() error { _, err := t.client.Activate(missing).Exec(); return err },
		"Revoke":           func() error { _, err := t.client.Revoke(missing).Exec(); return err },
		"Destroy":          func() error { _, err := t.client.Destroy(missing).Exec(); return err },
		"Archive":          func() error { _, err := t.client.Archive(missing).Exec(); return err },
		"AddAttribute":     func() error { _, err := t.client.AddAttribute(missing, note, "x").Exec(); return err },
		"Rekey":            func() error { _, err := t.client.Rekey(missing).Exec(); return err },
		"ObtainLease":      func() error { _, err := t.client.ObtainLease(missing).Exec(); return err },
		"GetAttributeList": func() error { _, err := t.client.GetAttributeList(missing).Exec(); return err },
	} {
		t.step(name+" of an object that is not there", func() error { return refused(run(), kmip.ResultReasonItemNotFound) })
	}
}
