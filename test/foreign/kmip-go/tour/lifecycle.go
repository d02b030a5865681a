// The life of a key: made, activated, used up, revoked, archived, destroyed.
package main

import (
	"context"
	"time"

	"github.com/ovh/kmip-go"
	"github.com/ovh/kmip-go/payloads"
)

const cipherUsage = kmip.CryptographicUsageEncrypt | kmip.CryptographicUsageDecrypt

func (t *tour) discovery() {
	if t.since(1) {
		t.step("DiscoverVersions", func() error {
			answer, err := t.client.Request(context.Background(), &payloads.DiscoverVersionsRequestPayload{})
			if err != nil {
				return err
			}
			found := answer.(*payloads.DiscoverVersionsResponsePayload).ProtocolVersion
			return first(equal(len(found) >= 5, true), equal(found[len(found)-1], kmip.V1_0))
		})
	}
	t.step("Query", func() error {
		query := t.client.Query().Operations().Objects().ServerInformation().ApplicationNamespaces()
		if t.since(1) {
			query = query.ExtensionList().ExtensionMap()
		}
		if t.since(3) {
			query = query.RNGs().Profiles().Validations().Capabilities()
		}
		answer, err := query.Exec()
		if err != nil {
			return err
		}
		return first(equal(len(answer.Operations) > 15, true), equal(answer.VendorIdentification, "gatehouse"))
	})
}

// key makes a symmetric key of AES. The step that needs it fails where it cannot be made.
func (t *tour) key(usage kmip.CryptographicUsageMask) string {
	return t.client.Create().AES(256, usage).WithName(named("AES")).MustExec().UniqueIdentifier
}

func (t *tour) activeKey(usage kmip.CryptographicUsageMask) string {
	id := t.key(usage)
	t.client.Activate(id).MustExec()
	return id
}

func (t *tour) attribute(id string, name kmip.AttributeName) any {
	for _, attribute := range t.client.GetAttributes(id, name).MustExec().Attribute {
		if attribute.AttributeName == name {
			return attribute.AttributeValue
		}
	}
	return nil
}

func (t *tour) state(id string) kmip.State {
	state, _ := t.attribute(id, kmip.AttributeNameState).(kmip.State)
	return state
}

func (t *tour) lifecycle() {
	t.step("Create, Activate, Revoke, Destroy", func() error {
		id := t.key(cipherUsage)
		states := []kmip.State{t.state(id)}
		t.client.Activate(id).MustExec()
		states = append(states, t.state(id))
		t.client.Revoke(id).WithRevocationReasonCode(kmip.RevocationReasonCodeCessationOfOperation).MustExec()
		states = append(states, t.state(id))
		t.client.Destroy(id).MustExec()
		states = append(states, t.state(id))
		return equal(states, []kmip.State{kmip.StatePreActive, kmip.StateActive, kmip.StateDeactivated, kmip.StateDestroyed})
	})
	t.step("Revoke of a compromised key, Destroy", func() error {
		id := t.key(cipherUsage)
		t.client.Revoke(id).WithRevocationReasonCode(kmip.RevocationReasonCodeKeyCompromise).WithRevocationMessage("lost").
			WithCompromiseOccurrenceDate(time.Now().Add(-time.Hour)).MustExec()
		compromised := t.state(id)
		t.client.Destroy(id).MustExec()
		return first(equal(compromised, kmip.StateCompromised), equal(t.state(id), kmip.StateDestroyedCompromised))
	})
	t.step("Create with dates", func() error {
		yesterday, tomorrow := time.Now().AddDate(0, 0, -1), time.Now().AddDate(0, 0, 1)
		active := t.client.Create().AES(128, cipherUsage).WithAttribute(kmip.AttributeNameActivationDate, yesterday).MustExec().UniqueIdentifier
		later := t.client.Create().AES(128, cipherUsage).WithAttribute(kmip.AttributeNameActivationDate, tomorrow).MustExec().UniqueIdentifier
		over := t.client.Create().AES(128, cipherUsage).WithAttribute(kmip.AttributeNameActivationDate, yesterday).
			WithAttribute(kmip.AttributeNameDeactivationDate, yesterday.Add(time.Hour)).MustExec().UniqueIdentifier
		return first(equal(t.state(active), kmip.StateActive), equal(t.state(later), kmip.StatePreActive), equal(t.state(over), kmip.StateDeactivated))
	})
	t.step("Archive, Recover", func() error {
		id := t.key(cipherUsage)
		t.client.Archive(id).MustExec()
		_, err := t.client.Get(id).Exec()
		t.client.Recover(id).MustExec()
		t.client.Get(id).MustExec()
		return refused(err, kmip.ResultReasonObjectArchived)
	})
	t.step("ObtainLease", func() error {
		answer, err := t.client.ObtainLease(t.activeKey(cipherUsage)).Exec()
		if err != nil {
			return err
		}
		return equal(answer.LeaseTime > 0, true)
	})
	t.step("a name is free again once its object is destroyed", func() error {
		name := named("again")
		for range 2 {
			id := t.client.Create().AES(128, cipherUsage).WithName(name).MustExec().UniqueIdentifier
			t.client.Destroy(id).MustExec()
		}
		return nil
	})
}
