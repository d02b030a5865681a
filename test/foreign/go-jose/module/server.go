// The crypto API of the server, as a client in Go calls it.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/go-jose/go-jose/v4"
)

// facts are what the runner tells of its server.
type facts struct {
	Address string `json:"address"`
	CA      string `json:"ca"`
	// Value of the session cookie of a user of keys.
	Session string `json:"session"`
}

type server struct {
	facts
	client *http.Client
}

func connect(file string) (*server, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var known facts
	if err := json.Unmarshal(text, &known); err != nil {
		return nil, err
	}
	certificate, err := os.ReadFile(known.CA)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(certificate)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	return &server{known, &http.Client{Transport: transport}}, nil
}

// members are those of an answer; those that are no text are left out of its texts.
type members map[string]any

func (found members) text(name string) string {
	value, _ := found[name].(string)
	return value
}

// call posts a body of JSON; any status but 200 is an error with what the server said.
func (known *server) call(name string, body any) (members, error) {
	sent, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodPost, known.Address+"/v1/crypto/"+name, bytes.NewReader(sent))
	if err != nil {
		return nil, err
	}
	request.Header.Set("content-type", "application/json")
	request.AddCookie(&http.Cookie{Name: "_ea_", Value: known.Session})
	answer, err := known.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %d %s", name, answer.StatusCode, text)
	}
	found := members{}
	return found, json.Unmarshal(text, &found)
}

// names of a key on the server: both are the same for a secret.
type names struct {
	own    string
	public string
}

// imported brings a key to the server as go-jose writes it.
func (known *server) imported(key any, algorithm string) (names, error) {
	answer, err := known.call("keys", jose.JSONWebKey{Key: key, Algorithm: algorithm})
	if err != nil {
		return names{}, err
	}
	own := answer.text("kid")
	if public := answer.text("kid_public"); public != "" {
		return names{own, public}, nil
	}
	return names{own, own}, nil
}
