// Encrypts, signs and makes MACs with go-jose and with the server, each of which reads what the other wrote: `program FACTS`, a line for each step.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

const text = "Speak, friend, and enter: é 日本 🔑"

type step struct {
	name string
	run  func(*server) error
}

func main() {
	known, err := connect(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, each := range slices.Concat(encryptionSteps(), signatureSteps(), macSteps()) {
		report := map[string]string{"step": each.name}
		if err := each.run(known); err != nil {
			report["error"] = err.Error()
		}
		line, _ := json.Marshal(report)
		fmt.Println(string(line))
	}
}

// equal says what came in place of what was expected.
func equal(what string, actual, expected any) error {
	if actual == expected {
		return nil
	}
	return fmt.Errorf("%s: %v in place of %v", what, actual, expected)
}
