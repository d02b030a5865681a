// Steps of signing in: with a role, as a service account, and what is refused.
package main

import (
	"context"
	"errors"

	"github.com/openbao/openbao/api/v2"
)

var signInSteps = []step{
	{"approle", approle},
	{"approle without a secret id", approleWithoutSecretID},
	{"approle refused", approleRefused},
	{"kubernetes", kubernetes},
	{"kubernetes refused", kubernetesRefused},
}

// method signs in by a write below auth, as the client's own methods do.
type method struct {
	path string
	data map[string]any
}

func (m method) Login(ctx context.Context, client *api.Client) (*api.Secret, error) {
	return client.Logical().WriteWithContext(ctx, "auth/"+m.path+"/login", m.data)
}

func byRole(roleID, secretID string) method {
	return method{"approle", map[string]any{"role_id": roleID, "secret_id": secretID}}
}

func byAccount(mount, role, jwt string) method {
	return method{mount, map[string]any{"role": role, "jwt": jwt}}
}

func newClient(known facts) (*api.Client, error) {
	config := api.DefaultConfig()
	config.Address = known.Address
	config.MaxRetries = 0
	if err := config.ConfigureTLS(&api.TLSConfig{CACert: known.CA}); err != nil {
		return nil, err
	}
	return api.NewClient(config)
}

// signedIn is a client with the token of a role, and what its sign-in answered.
func signedIn(known facts, as method) (*api.Client, *api.Secret, error) {
	client, err := newClient(known)
	if err != nil {
		return nil, nil, err
	}
	secret, err := client.Auth().Login(context.Background(), as)
	return client, secret, err
}

func approle(known facts) error {
	client, secret, err := signedIn(known, byRole(known.RoleID, known.SecretID))
	if err != nil {
		return err
	}
	policies, _ := secret.TokenPolicies()
	metadata, _ := secret.TokenMetadata()
	accessor, _ := secret.TokenAccessor()
	return errors.Join(
		equal("token", client.Token(), secret.Auth.ClientToken),
		equal("policies", policies, []string{"p", "q"}),
		equal("metadata", metadata, map[string]string{"role_name": "bound"}),
		equal("lease", secret.Auth.LeaseDuration, 600),
		equal("renewable", secret.Auth.Renewable, true),
		equal("request", len(secret.RequestID), 36),
		equal("accessor", len(accessor), 36),
	)
}

func approleWithoutSecretID(known facts) error {
	_, _, err := signedIn(known, method{"approle", map[string]any{"role_id": known.OpenRoleID}})
	return err
}

func approleRefused(known facts) error {
	login := func(roleID, secretID string) error {
		_, _, err := signedIn(known, byRole(roleID, secretID))
		return err
	}
	const said = "the role id or the secret id is not valid"
	return errors.Join(
		refused(login(known.RoleID, "wrong"), 400, said),
		refused(login("none", known.SecretID), 400, said),
		login(known.RoleID, known.SingleSecretID),
		refused(login(known.RoleID, known.SingleSecretID), 403, "the secret id is used up"),
	)
}

func kubernetes(known facts) error {
	for _, mount := range []string{"kubernetes", "cluster"} {
		client, secret, err := signedIn(known, byAccount(mount, known.ClusterRole, known.JWT))
		if err != nil {
			return err
		}
		looked, err := client.Auth().Token().LookupSelf()
		if err != nil {
			return err
		}
		if err := errors.Join(
			equal("account", secret.Auth.Metadata["service_account_name"], "app"),
			equal("entity", looked.Data["entity_id"], "prod/app"),
		); err != nil {
			return err
		}
	}
	return nil
}

func kubernetesRefused(known facts) error {
	const said = "the role or its JWT is not valid"
	_, _, badJWT := signedIn(known, byAccount("kubernetes", known.ClusterRole, "not.a.jwt"))
	_, _, noRole := signedIn(known, byAccount("kubernetes", "none", known.JWT))
	return errors.Join(refused(badJWT, 400, said), refused(noRole, 400, said))
}
