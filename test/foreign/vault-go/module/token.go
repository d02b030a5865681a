// Steps of a token's life: looked up, renewed, kept alive and revoked, by itself and by another.
package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/openbao/openbao/api/v2"
)

var tokenSteps = []step{
	{"a token itself", tokenItself},
	{"another token", anotherToken},
	{"a token that cannot be renewed", notRenewable},
	{"a watcher keeps a token alive until its last end", watched},
	{"a watcher of a token that is revoked", watchedRevoked},
}

func open(known facts, roleID string) (*api.Client, *api.Secret, error) {
	return signedIn(known, method{"approle", map[string]any{"role_id": roleID}})
}

func tokenItself(known facts) error {
	client, _, err := open(known, known.OpenRoleID)
	if err != nil {
		return err
	}
	self := client.Auth().Token()
	looked, err := self.LookupSelf()
	if err != nil {
		return err
	}
	renewed, err := self.RenewSelf(3600)
	if err != nil {
		return err
	}
	id, _ := looked.TokenID()
	ttl, _ := looked.TokenTTL()
	renewable, _ := looked.TokenIsRenewable()
	uses, _ := looked.TokenRemainingUses()
	revoked := self.RevokeSelf("")
	_, after := self.LookupSelf()
	_, again := self.RenewSelf(0)
	return errors.Join(
		equal("id", id, client.Token()),
		equal("ttl", ttl > 590*time.Second && ttl <= 600*time.Second, true),
		equal("renewable", renewable, true),
		equal("uses", uses, 0),
		equal("lease", renewed.Auth.LeaseDuration, 600),
		revoked,
		refused(after, 403, tokenDenied),
		refused(again, 403, tokenDenied),
	)
}

func anotherToken(known facts) error {
	client, _, err := open(known, known.OpenRoleID)
	if err != nil {
		return err
	}
	_, other, err := open(known, known.OpenRoleID)
	if err != nil {
		return err
	}
	token := other.Auth.ClientToken
	tokens := client.Auth().Token()
	looked, err := tokens.Lookup(token)
	if err != nil {
		return err
	}
	_, renewed := tokens.Renew(token, 60)
	_, asSelf := tokens.RenewTokenAsSelf(token, 60)
	revoked := tokens.RevokeTree(token)
	_, after := tokens.Lookup(token)
	_, own := tokens.LookupSelf()
	client.ClearToken()
	_, without := tokens.Lookup(token)
	return errors.Join(
		equal("id", looked.Data["id"], any(token)),
		renewed, asSelf, revoked, own,
		refused(after, 403, tokenDenied),
		refused(without, 403, tokenDenied),
	)
}

func notRenewable(known facts) error {
	client, secret, err := open(known, known.FixedRoleID)
	if err != nil {
		return err
	}
	_, renewed := client.Auth().Token().RenewSelf(0)
	watcher, err := client.NewLifetimeWatcher(&api.LifetimeWatcherInput{Secret: secret, RenewBehavior: api.RenewBehaviorErrorOnErrors})
	if err != nil {
		return err
	}
	go watcher.Start()
	return errors.Join(
		equal("renewable", secret.Auth.Renewable, false),
		refused(renewed, 403, "the role of this app token does not allow renewal"),
		equal("watcher", <-watcher.DoneCh(), api.ErrLifetimeWatcherNotRenewable),
	)
}

// watched counts renewals until the watcher says that the token's last end is near.
func watched(known facts) error {
	client, secret, err := open(known, known.ShortRoleID)
	if err != nil {
		return err
	}
	watcher, err := client.NewLifetimeWatcher(&api.LifetimeWatcherInput{Secret: secret})
	if err != nil {
		return err
	}
	go watcher.Start()
	defer watcher.Stop()
	renewals := 0
	limit := time.After(40 * time.Second)
	for {
		select {
		case renewal := <-watcher.RenewCh():
			renewals++
			if err := equal("renewed", renewal.Secret.Auth.ClientToken, secret.Auth.ClientToken); err != nil {
				return err
			}
		case err := <-watcher.DoneCh():
			if renewals < 2 {
				return fmt.Errorf("%d renewals in place of several", renewals)
			}
			return err
		case <-limit:
			return errors.New("the watcher did not end")
		}
	}
}

func watchedRevoked(known facts) error {
	client, secret, err := open(known, known.OpenRoleID)
	if err != nil {
		return err
	}
	if err := client.Auth().Token().RevokeSelf(""); err != nil {
		return err
	}
	watcher, err := client.NewLifetimeWatcher(&api.LifetimeWatcherInput{Secret: secret, RenewBehavior: api.RenewBehaviorErrorOnErrors})
	if err != nil {
		return err
	}
	go watcher.Start()
	return refused(<-watcher.DoneCh(), 403, tokenDenied)
}
