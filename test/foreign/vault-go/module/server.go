// Steps about the server: its health, what it does not have, and roles for an administrator's session.
package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/openbao/openbao/api/v2"
)

var serverSteps = []step{
	{"health and seal", healthAndSeal},
	{"what is not here", notHere},
	{"no namespaces and no wrapping", noNamespacesAndNoWrapping},
	{"roles for an administrator", roles},
	{"roles are not for tokens", rolesAreNotForTokens},
}

const nothingHere = "there is nothing at this path"

func healthAndSeal(known facts) error {
	client, err := newClient(known)
	if err != nil {
		return err
	}
	health, err := client.Sys().Health()
	if err != nil {
		return err
	}
	seal, err := client.Sys().SealStatus()
	if err != nil {
		return err
	}
	return errors.Join(
		equal("health", []bool{health.Initialized, health.Sealed, health.Standby}, []bool{true, false, false}),
		equal("time", health.ServerTimeUTC > 1_700_000_000, true),
		equal("seal", []bool{seal.Initialized, seal.Sealed}, []bool{true, false}),
		equal("version", seal.Version, health.Version),
	)
}

func notHere(known facts) error {
	client, _, err := open(known, known.OpenRoleID)
	if err != nil {
		return err
	}
	secret, read := client.Logical().Read("secret/app")
	_, kv := client.KVv2("secret").Get(context.Background(), "app")
	_, created := client.Auth().Token().Create(&api.TokenCreateRequest{})
	_, accessor := client.Auth().Token().LookupAccessor("none")
	_, mounts := client.Sys().ListMounts()
	return errors.Join(
		read,
		equal("secret", secret == nil, true),
		equal("kv", errors.Is(kv, api.ErrSecretNotFound), true),
		refused(created, 404, nothingHere),
		refused(accessor, 404, nothingHere),
		refused(mounts, 404, nothingHere),
	)
}

func noNamespacesAndNoWrapping(known facts) error {
	client, _, err := open(known, known.OpenRoleID)
	if err != nil {
		return err
	}
	_, inNamespace := client.WithNamespace("team").Auth().Token().LookupSelf()
	client.SetWrappingLookupFunc(func(string, string) string { return "60s" })
	_, wrapped := client.Logical().Write("auth/approle/login", map[string]any{"role_id": known.OpenRoleID})
	return errors.Join(
		refused(inNamespace, 404, "this server has no namespaces: remove the header X-Vault-Namespace"),
		refused(wrapped, 400, "this server does not wrap answers: remove the header X-Vault-Wrap-TTL"),
	)
}

func roles(known facts) error {
	client, err := newClient(known)
	if err != nil {
		return err
	}
	client.SetHeaders(http.Header{"Cookie": {"_ea_=" + known.AdminSession}})
	logical := client.Logical()
	if _, err := logical.Write("auth/approle/role/made", map[string]any{"token_ttl": 60}); err != nil {
		return err
	}
	id, err := logical.Read("auth/approle/role/made/role-id")
	if err != nil {
		return err
	}
	secret, err := logical.Write("auth/approle/role/made/secret-id", nil)
	if err != nil {
		return err
	}
	_, made, err := signedIn(known, method{"approle", map[string]any{"role_id": id.Data["role_id"], "secret_id": secret.Data["secret_id"]}})
	if err != nil {
		return err
	}
	accessors, err := logical.List("auth/approle/role/made/secret-id")
	if err != nil {
		return err
	}
	_, deleted := logical.Delete("auth/approle/role/made")
	gone, read := logical.Read("auth/approle/role/made")
	return errors.Join(
		equal("lease", made.Auth.LeaseDuration, 60),
		equal("accessors", accessors.Data["keys"], any([]any{secret.Data["secret_id_accessor"]})),
		deleted, read,
		equal("gone", gone == nil, true),
	)
}

func rolesAreNotForTokens(known facts) error {
	client, _, err := open(known, known.OpenRoleID)
	if err != nil {
		return err
	}
	_, read := client.Logical().Read("auth/approle/role/bound")
	return refused(read, 403, "authentication is required")
}
