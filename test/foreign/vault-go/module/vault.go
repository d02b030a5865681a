// Steps of the Go client of Vault with its own ways to sign in.
package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/vault/api"
	approleauth "github.com/hashicorp/vault/api/auth/approle"
	kubernetesauth "github.com/hashicorp/vault/api/auth/kubernetes"
)

var vaultSteps = []step{
	{"approle", vaultApprole},
	{"approle refused", vaultApproleRefused},
	{"a secret id that is wrapped", vaultWrapped},
	{"kubernetes", vaultKubernetes},
	{"a token's life", vaultToken},
	{"a watcher renews a token", vaultWatched},
	{"health and seal", vaultHealth},
}

func newVaultClient(known facts) (*api.Client, error) {
	config := api.DefaultConfig()
	config.Address = known.Address
	config.MaxRetries = 0
	if err := config.ConfigureTLS(&api.TLSConfig{CACert: known.CA}); err != nil {
		return nil, err
	}
	return api.NewClient(config)
}

func vaultSignIn(known facts, as api.AuthMethod) (*api.Client, *api.Secret, error) {
	client, err := newVaultClient(known)
	if err != nil {
		return nil, nil, err
	}
	secret, err := client.Auth().Login(context.Background(), as)
	return client, secret, err
}

func vaultByRole(known facts, roleID, secretID string, options ...approleauth.LoginOption) (*api.Client, *api.Secret, error) {
	as, err := approleauth.NewAppRoleAuth(roleID, &approleauth.SecretID{FromString: secretID}, options...)
	if err != nil {
		return nil, nil, err
	}
	return vaultSignIn(known, as)
}

func vaultRefused(err error, status int, said string) error {
	var answer *api.ResponseError
	if !errors.As(err, &answer) {
		return errors.Join(errors.New("no refusal"), err)
	}
	return errors.Join(equal("status", answer.StatusCode, status), equal("errors", answer.Errors, []string{said}))
}

func vaultApprole(known facts) error {
	client, secret, err := vaultByRole(known, known.RoleID, known.SecretID)
	if err != nil {
		return err
	}
	return errors.Join(
		equal("token", client.Token(), secret.Auth.ClientToken),
		equal("policies", secret.Auth.TokenPolicies, []string{"p", "q"}),
		equal("lease", secret.Auth.LeaseDuration, 600),
	)
}

func vaultApproleRefused(known facts) error {
	const said = "the role id or the secret id is not valid"
	_, _, wrong := vaultByRole(known, known.RoleID, "wrong")
	_, _, unknown := vaultByRole(known, "none", known.SecretID)
	return errors.Join(vaultRefused(wrong, 400, said), vaultRefused(unknown, 400, said))
}

// vaultWrapped does not sign in with what nobody wrapped: the client looks in both places where it could be.
func vaultWrapped(known facts) error {
	_, _, err := vaultByRole(known, known.RoleID, known.SecretID, approleauth.WithWrappingToken())
	return equal("unwrapped", err != nil && strings.Contains(err.Error(), "no value found"), true)
}

// vaultKubernetes reads the JWT as a pod does, from a file.
func vaultKubernetes(known facts) error {
	file := filepath.Join(os.Getenv("HOME"), "jwt")
	if err := os.WriteFile(file, []byte(known.JWT), 0o600); err != nil {
		return err
	}
	as, err := kubernetesauth.NewKubernetesAuth(known.ClusterRole, kubernetesauth.WithServiceAccountTokenPath(file))
	if err != nil {
		return err
	}
	client, _, err := vaultSignIn(known, as)
	if err != nil {
		return err
	}
	looked, err := client.Auth().Token().LookupSelf()
	if err != nil {
		return err
	}
	return equal("entity", looked.Data["entity_id"], any("prod/app"))
}

func vaultToken(known facts) error {
	client, _, err := vaultByRole(known, known.OpenRoleID, "unused")
	if err != nil {
		return err
	}
	tokens, own := client.Auth().Token(), client.Token()
	_, looked := tokens.Lookup(own)
	_, renewed := tokens.RenewSelf(60)
	_, given := tokens.Renew(own, 60)
	revoked := tokens.RevokeSelf("")
	_, after := tokens.LookupSelf()
	return errors.Join(looked, renewed, given, revoked, vaultRefused(after, 403, tokenDenied))
}

func vaultWatched(known facts) error {
	client, secret, err := vaultByRole(known, known.ShortRoleID, "unused")
	if err != nil {
		return err
	}
	watcher, err := client.NewLifetimeWatcher(&api.LifetimeWatcherInput{Secret: secret})
	if err != nil {
		return err
	}
	go watcher.Start()
	defer watcher.Stop()
	select {
	case renewal := <-watcher.RenewCh():
		return equal("lease", renewal.Secret.Auth.LeaseDuration, 6)
	case err := <-watcher.DoneCh():
		return errors.Join(errors.New("the watcher ended"), err)
	}
}

func vaultHealth(known facts) error {
	client, err := newVaultClient(known)
	if err != nil {
		return err
	}
	health, noHealth := client.Sys().Health()
	seal, noSeal := client.Sys().SealStatus()
	if err := errors.Join(noHealth, noSeal); err != nil {
		return err
	}
	return errors.Join(equal("initialized", health.Initialized, true), equal("sealed", seal.Sealed || health.Sealed, false))
}
