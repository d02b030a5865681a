// Signs in with a Go client and does with tokens what a machine does: `program FACTS openbao|vault`, a line for each step.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// facts are what the runner tells of its server.
type facts struct {
	Address        string `json:"address"`
	CA             string `json:"ca"`
	RoleID         string `json:"role_id"`
	SecretID       string `json:"secret_id"`
	SingleSecretID string `json:"single_secret_id"`
	OpenRoleID     string `json:"open_role_id"`
	ShortRoleID    string `json:"short_role_id"`
	FixedRoleID    string `json:"fixed_role_id"`
	ClusterRole    string `json:"cluster_role"`
	JWT            string `json:"jwt"`
	AdminSession   string `json:"admin_session"`
}

type step struct {
	name string
	run  func(facts) error
}

func main() {
	known, err := read(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	tours := map[string][]step{
		"openbao": slices.Concat(signInSteps, tokenSteps, serverSteps),
		"vault":   vaultSteps,
	}
	for _, each := range tours[os.Args[2]] {
		if err := each.run(known); err != nil {
			fmt.Printf("FAIL %s: %s\n", each.name, strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Printf("ok %s\n", each.name)
		}
	}
	fmt.Println("end")
}

func read(file string) (facts, error) {
	var known facts
	text, err := os.ReadFile(file)
	if err != nil {
		return known, err
	}
	return known, json.Unmarshal(text, &known)
}
