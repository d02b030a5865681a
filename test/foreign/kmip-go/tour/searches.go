// Locate by what objects have, and batches whose items follow from one another.
package main

import (
	"slices"
	"time"

	"github.com/ovh/kmip-go"
	"github.com/ovh/kmip-go/kmipclient"
	"github.com/ovh/kmip-go/payloads"
)

func (t *tour) searches() {
	t.step("Locate by name, group and algorithm", func() error {
		group, name := named("group"), named("found")
		one := t.client.Create().AES(128, cipherUsage).WithName(name).WithAttribute(kmip.AttributeNameObjectGroup, group).MustExec().UniqueIdentifier
		two := t.client.Create().TDES(168, cipherUsage).WithAttribute(kmip.AttributeNameObjectGroup, group).MustExec().UniqueIdentifier
		both := t.client.Locate().WithAttribute(kmip.AttributeNameObjectGroup, group).MustExec().UniqueIdentifier
		slices.Sort(both)
		wanted := []string{one, two}
		slices.Sort(wanted)
		aes := t.client.Locate().WithAttribute(kmip.AttributeNameObjectGroup, group).WithAttribute(kmip.AttributeNameCryptographicAlgorithm, kmip.CryptographicAlgorithmAES).MustExec().UniqueIdentifier
		return first(equal(t.client.Locate().WithName(name).MustExec().UniqueIdentifier, []string{one}), equal(both, wanted), equal(aes, []string{one}))
	})
	t.step("Locate with a limit", func() error {
		group := named("limited")
		for range 3 {
			t.client.Create().AES(128, cipherUsage).WithAttribute(kmip.AttributeNameObjectGroup, group).MustExec()
		}
		return equal(len(t.client.Locate().WithAttribute(kmip.AttributeNameObjectGroup, group).WithMaxItems(2).MustExec().UniqueIdentifier), 2)
	})
	t.step("Locate by a range of dates", func() error {
		group, now := named("range"), time.Now()
		at := func(minutes int) time.Time { return now.Add(time.Duration(minutes) * time.Minute) }
		made := map[int]string{}
		for _, minutes := range []int{10, 100, 1000} {
			made[minutes] = t.client.Create().AES(128, cipherUsage).WithAttribute(kmip.AttributeNameObjectGroup, group).WithAttribute(kmip.AttributeNameProcessStartDate, at(minutes)).MustExec().UniqueIdentifier
		}
		found := t.client.Locate().WithAttribute(kmip.AttributeNameObjectGroup, group).WithAttribute(kmip.AttributeNameProcessStartDate, now).
			WithAttribute(kmip.AttributeNameProcessStartDate, at(100)).MustExec().UniqueIdentifier
		return first(equal(len(found), 2), equal(slices.Contains(found, made[1000]), false))
	})
	t.step("Locate of archived objects", func() error {
		group := named("archived")
		id := t.client.Create().AES(128, cipherUsage).WithAttribute(kmip.AttributeNameObjectGroup, group).MustExec().UniqueIdentifier
		t.client.Archive(id).MustExec()
		online := t.client.Locate().WithAttribute(kmip.AttributeNameObjectGroup, group).WithStorageStatusMask(kmip.StorageStatusOnlineStorage).MustExec().UniqueIdentifier
		archived := t.client.Locate().WithAttribute(kmip.AttributeNameObjectGroup, group).WithStorageStatusMask(kmip.StorageStatusArchivalStorage).MustExec().UniqueIdentifier
		return first(equal(len(online), 0), equal(archived, []string{id}))
	})
}

func (t *tour) batches() {
	t.step("a batch that hands its identifier on", func() error {
		answers, err := t.client.Create().AES(256, cipherUsage).
			Then(func(client *kmipclient.Client) kmipclient.PayloadBuilder { return client.Activate("") }).
			Then(func(client *kmipclient.Client) kmipclient.PayloadBuilder { return client.Revoke("") }).
			Then(func(client *kmipclient.Client) kmipclient.PayloadBuilder { return client.Destroy("") }).
			MustExec().Unwrap()
		if err != nil {
			return err
		}
		made := answers[0].(*payloads.CreateResponsePayload).UniqueIdentifier
		return first(equal(len(answers), 4), equal(answers[3].(*payloads.DestroyResponsePayload).UniqueIdentifier, made))
	})
	t.step("a batch goes on after an item that fails", func() error {
		result, err := t.client.Create().AES(256, cipherUsage).
			Then(func(client *kmipclient.Client) kmipclient.PayloadBuilder { return client.Get("there-is-none") }).
			Then(func(client *kmipclient.Client) kmipclient.PayloadBuilder { return client.Query().Operations() }).
			Exec(kmipclient.OnBatchErr(kmip.BatchErrorContinuationOptionContinue))
		if err != nil {
			return err
		}
		return first(result[0].Err(), mentions(result[1].Err(), "ItemNotFound"), result[2].Err())
	})
}
