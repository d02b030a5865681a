// The tour of kmip-go: what its client can do, in every version that it speaks; one line of JSON for each step.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/ovh/kmip-go"
	"github.com/ovh/kmip-go/kmipclient"
)

var versions = []kmip.ProtocolVersion{kmip.V1_0, kmip.V1_1, kmip.V1_2, kmip.V1_3, kmip.V1_4}

// tour is one visit of the server, in one version.
type tour struct {
	client  *kmipclient.Client
	version kmip.ProtocolVersion
}

// step runs what has to go well and says how it went.
func (t *tour) step(name string, run func() error) {
	line := map[string]string{"step": fmt.Sprintf("%d.%d %s", t.version.ProtocolVersionMajor, t.version.ProtocolVersionMinor, name)}
	if err := safely(run); err != nil {
		line["error"] = err.Error()
	}
	_ = json.NewEncoder(os.Stdout).Encode(line)
}

// safely turns a panic, by which kmip-go tells of some failures, into an error.
func safely(run func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%v", reason)
		}
	}()
	return run()
}

func (t *tour) since(minor int32) bool { return t.version.ProtocolVersionMinor >= minor }

// main takes an address, the file of the authority and the files of the client's certificate and key.
func main() {
	address, ca, cert, key := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	for _, version := range versions {
		client, err := kmipclient.Dial(address, kmipclient.WithRootCAFile(ca), kmipclient.WithClientCertFiles(cert, key), kmipclient.EnforceVersion(version))
		if err != nil {
			panic(err)
		}
		t := &tour{client, version}
		t.discovery()
		t.lifecycle()
		t.attributes()
		t.registrations()
		t.pairs()
		t.replacement()
		t.searches()
		t.usage()
		t.wrapping()
		t.batches()
		t.refusals()
		if t.since(2) {
			t.ciphers()
			t.signatures()
		}
		if t.since(4) {
			t.transfers()
		}
		_ = client.Close()
	}
	negotiation(address, ca, cert, key)
}

// negotiation lets the client choose the version itself.
func negotiation(address, ca, cert, key string) {
	t := &tour{version: kmip.V1_4}
	t.step("negotiates the highest version", func() error {
		client, err := kmipclient.Dial(address, kmipclient.WithRootCAFile(ca), kmipclient.WithClientCertFiles(cert, key))
		if err != nil {
			return err
		}
		defer client.Close()
		return equal(client.Version(), kmip.V1_4)
	})
}
