// Calls each of kmip-go's own examples, one after the other; one line of JSON for each. It is built together with their files, whose main is renamed.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/ovh/kmip-go"
	"github.com/ovh/kmip-go/kmipclient"
)

// examples are the functions of the package, in an order in which one can follow the other.
var examples = []struct {
	name string
	run  func(*kmipclient.Client)
}{
	{"batch", test_batch_helper},
	{"discover", discover},
	{"query", query},
	{"activate all", activateAll},
	{"clean up", cleanupDomain},
	{"unsupported operation", unsupported_operation},
	{"encrypt, decrypt AES", test_encrypt_decrypt_aes},
	{"encrypt, decrypt AES by default parameters", test_encrypt_decrypt_aes_default},
	{"encrypt, decrypt AES-CBC", test_encrypt_encrypt_aes_cbc_pkcs5},
	{"encrypt, decrypt AES with usage limits", test_encrypt_decrypt_aes_with_usage},
	{"encrypt, decrypt RSA-OAEP", test_encrypt_decrypt_rsa_oaep},
	{"encrypt, decrypt RSA PKCS#1", test_encrypt_decrypt_rsa_pkcs1},
	{"encrypt by name", withNamedKey(test_encrypt_by_name)},
	{"locate by range", test_locate_by_range},
	{"sign, verify RSA PKCS#1 1.5", test_sign_verify_rsa_pkcs1_15},
	{"sign, verify RSA-PSS", test_sign_verify_rsa_pss},
	{"sign, verify ECDSA", test_sign_verify_ecdsa},
	{"crypto.Signer RSA PKCS#1 1.5", test_crypto_signer_rsa_pkcs1_15},
	{"clean up before a name is used again", cleanupDomain},
	{"crypto.Signer RSA-PSS", test_crypto_signer_rsa_pss},
	{"crypto.Signer ECDSA", test_crypto_signer_ecdsa},
	{"state transitions", test_state_transitions},
	{"register", test_register},
	{"usage limits", test_usage_limits},
	{"usage limits of a key without", test_get_uage_limits_no_attributes},
	{"register ECDSA with the wrong algorithm", test_register_ecdsa_wrong_alg},
	{"attribute list", withKey(get_attribute_list)},
	{"attributes", withKey(get_attributes)},
	{"get", withKey(get)},
	{"activate", withKey(activate)},
	{"revoke", withKey(revoke)},
	{"destroy", withKey(destroy)},
	{"archive", withKey(archive)},
	{"recover", withKey(func(client *kmipclient.Client) { client.Archive(RESOURCE).MustExec(); test_recover(client) })},
	{"rekey", withKey(rekey)},
	{"rekey a pair", withPair(rekey_keypair)},
	{"create AES", create_aes},
	{"create 3DES", create_3des},
	{"create Skipjack", create_skipjack},
	{"create RSA", create_rsa},
	{"create ECDSA", create_ecdsa},
	{"locate", locate},
	{"register a secret", register_secret},
	{"register a certificate", register_certificate},
	{"register a split key", register_split_key},
	{"register an opaque object", register_opaque},
	{"register a template", register_template},
	{"register a PGP key", register_pgp},
	{"register AES raw", register_aes_raw},
	{"register AES transparent", register_aes_transparent},
	{"register RSA transparent", register_rsa_transparent},
	{"register ECDSA transparent", register_ecdsa_transparent},
	{"register ECDSA SEC 1", register_ecdsa_sec1},
	{"destroy twice", double_destroy},
	{"get wrapped in a way that is not supported", test_get_unsupported_wrapped_key},
	{"get, register a wrapped AES key", test_get_register_wrapped_aes_key},
	{"get, register a wrapped RSA key", test_get_register_wrapped_rsa_key},
	{"get, register a wrapped ECDSA key", test_get_register_wrapped_ecdsa_key},
	{"extractable", test_extractable},
	{"sensitive", test_sensitive},
	{"a batch that takes long", time_consuming_batch},
	{"clean up at the end", cleanupDomain},
}

// withKey gives an example a fresh key where its file names one of its author's.
func withKey(example func(*kmipclient.Client)) func(*kmipclient.Client) {
	return func(client *kmipclient.Client) {
		RESOURCE = client.Create().AES(256, kmip.CryptographicUsageEncrypt|kmip.CryptographicUsageDecrypt).MustExec().UniqueIdentifier
		example(client)
	}
}

func withPair(example func(*kmipclient.Client)) func(*kmipclient.Client) {
	return func(client *kmipclient.Client) {
		pair := client.CreateKeyPair().RSA(2048, kmip.CryptographicUsageSign, kmip.CryptographicUsageVerify).
			Common().WithAttribute(kmip.AttributeNameActivationDate, time.Now()).MustExec()
		RESOURCE = pair.PrivateKeyUniqueIdentifier
		example(client)
	}
}

// withNamedKey makes the key that an example looks for by its name.
func withNamedKey(example func(*kmipclient.Client)) func(*kmipclient.Client) {
	return func(client *kmipclient.Client) {
		key := client.Create().AES(256, kmip.CryptographicUsageEncrypt|kmip.CryptographicUsageDecrypt).WithName("my-encryption-AES-key").MustExec()
		client.Activate(key.UniqueIdentifier).MustExec()
		example(client)
	}
}

func run(name string, example func(*kmipclient.Client), client *kmipclient.Client, out *json.Encoder) {
	line := map[string]string{"step": name}
	defer func() {
		if reason := recover(); reason != nil {
			line["error"] = fmt.Sprint(reason)
		}
		_ = out.Encode(line)
	}()
	example(client)
}

// main takes an address, the file of the authority and the files of the client's certificate and key.
func main() {
	client, err := kmipclient.Dial(os.Args[1], kmipclient.WithRootCAFile(os.Args[2]), kmipclient.WithClientCertFiles(os.Args[3], os.Args[4]), kmipclient.EnforceVersion(kmip.V1_4))
	if err != nil {
		panic(err)
	}
	defer client.Close()
	out := json.NewEncoder(os.Stdout)
	for _, example := range examples {
		run(example.name, example.run, client, out)
	}
}
