// Attributes: added, changed, taken away, listed; links; usage limits.
package main

import (
	"slices"

	"github.com/ovh/kmip-go"
	"github.com/ovh/kmip-go/ttlv"
)

const note = kmip.AttributeName("x-note")

func (t *tour) attributes() {
	t.step("AddAttribute, ModifyAttribute, DeleteAttribute of a custom attribute", func() error {
		id := t.key(cipherUsage)
		t.client.AddAttribute(id, note, "one").MustExec()
		t.client.ModifyAttribute(id, note, "two").MustExec()
		changed, _ := t.attribute(id, note).(ttlv.Value)
		t.client.DeleteAttribute(id, note).MustExec()
		return first(equal(changed.Value, "two"), equal(t.attribute(id, note), nil))
	})
	t.step("several values, by index", func() error {
		id := t.key(cipherUsage)
		t.client.AddAttribute(id, kmip.AttributeNameObjectGroup, "first").MustExec()
		t.client.AddAttribute(id, kmip.AttributeNameObjectGroup, "second").MustExec()
		t.client.ModifyAttribute(id, kmip.AttributeNameObjectGroup, "third").WithIndex(1).MustExec()
		t.client.DeleteAttribute(id, kmip.AttributeNameObjectGroup).WithIndex(0).MustExec()
		found := t.client.GetAttributes(id, kmip.AttributeNameObjectGroup).MustExec().Attribute
		return first(equal(len(found), 1), equal(found[0].AttributeValue, "third"), equal(*found[0].AttributeIndex, int32(1)))
	})
	t.step("GetAttributeList names what GetAttributes gives", func() error {
		id := t.key(cipherUsage)
		list := t.client.GetAttributeList(id).MustExec().AttributeName
		var given []kmip.AttributeName
		for _, attribute := range t.client.GetAttributes(id).MustExec().Attribute {
			if !slices.Contains(given, attribute.AttributeName) {
				given = append(given, attribute.AttributeName)
			}
		}
		slices.Sort(list)
		slices.Sort(given)
		return equal(list, given)
	})
	t.step("a key has what it was made with", func() error {
		name := named("AES")
		id := t.client.Create().AES(192, cipherUsage).WithName(name).WithAttribute(kmip.AttributeNameContactInformation, "ops").MustExec().UniqueIdentifier
		return first(
			equal(t.attribute(id, kmip.AttributeNameCryptographicAlgorithm), kmip.CryptographicAlgorithmAES),
			equal(t.attribute(id, kmip.AttributeNameCryptographicLength), int32(192)),
			equal(t.attribute(id, kmip.AttributeNameCryptographicUsageMask), cipherUsage),
			equal(t.attribute(id, kmip.AttributeNameContactInformation), "ops"),
			equal(t.attribute(id, kmip.AttributeNameName), kmip.Name{NameValue: name, NameType: kmip.NameTypeUninterpretedTextString}),
		)
	})
	t.step("links between registered halves", func() error {
		secret := t.client.Register().Secret(kmip.SecretDataTypePassword, []byte("first")).MustExec().UniqueIdentifier
		link := kmip.Link{LinkType: kmip.LinkTypeParentLink, LinkedObjectIdentifier: t.key(cipherUsage)}
		if !t.since(2) {
			link.LinkType = kmip.LinkTypeDerivationBaseObjectLink
		}
		t.client.AddAttribute(secret, kmip.AttributeNameLink, link).MustExec()
		return equal(t.attribute(secret, kmip.AttributeNameLink), link)
	})
	t.step("what the server sets cannot be set", func() error {
		_, err := t.client.ModifyAttribute(t.key(cipherUsage), kmip.AttributeNameState, kmip.StateActive).Exec()
		return refused(err, kmip.ResultReasonPermissionDenied)
	})
}

func (t *tour) usage() {
	t.step("usage limits and GetUsageAllocation", func() error {
		id := t.client.Create().AES(256, cipherUsage).WithUsageLimit(10, kmip.UsageLimitsUnitByte).MustExec().UniqueIdentifier
		t.client.Activate(id).MustExec()
		left := func() int64 {
			limits, _ := t.attribute(id, kmip.AttributeNameUsageLimits).(kmip.UsageLimits)
			if limits.UsageLimitsCount == nil {
				return -1
			}
			return *limits.UsageLimitsCount
		}
		counts := []int64{left()}
		t.client.GetUsageAllocation(id, 3).MustExec()
		counts = append(counts, left())
		_, err := t.client.GetUsageAllocation(id, 8).Exec()
		counts = append(counts, left())
		t.client.GetUsageAllocation(id, 7).MustExec()
		return first(equal(append(counts, left()), []int64{10, 7, 7, 0}), mentions(err, "reason="))
	})
	t.step("GetUsageAllocation of a key without limits", func() error {
		_, err := t.client.GetUsageAllocation(t.activeKey(cipherUsage), 1).Exec()
		return refused(err, kmip.ResultReasonIllegalOperation)
	})
	t.step("limits that are added later", func() error {
		id := t.key(cipherUsage)
		t.client.AddAttribute(id, kmip.AttributeNameUsageLimits, kmip.UsageLimits{UsageLimitsUnit: kmip.UsageLimitsUnitByte, UsageLimitsTotal: 5}).MustExec()
		limits, _ := t.attribute(id, kmip.AttributeNameUsageLimits).(kmip.UsageLimits)
		return first(equal(limits.UsageLimitsTotal, int64(5)), equal(*limits.UsageLimitsCount, int64(5)))
	})
}
