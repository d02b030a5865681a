module gatehouse/test/foreign/kmip-go/examples

go 1.25.5

require github.com/ovh/kmip-go v0.8.0
