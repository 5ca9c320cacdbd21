package serve_test

import (
	"strings"
	"testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/serve"
)

func TestParseAddress(t *testing.T) {
	const (
		form = "it is neither IP nor IP:PORT, such as 127.0.0.1:10261 or [::1]:10261"
		port = " is not a number from 0 to 65535"
		name = " is neither an IP address nor localhost"
	)
	for sentence, c := range map[string]struct{ text, want, err string }{
		"an IP has the default port":         {text: "127.0.0.1", want: "127.0.0.1:10261"},
		"an IP and a port":                   {text: "0.0.0.0:8080", want: "0.0.0.0:8080"},
		"port 0 is any that is free":         {text: "127.0.0.1:0", want: "127.0.0.1:0"},
		"an IPv6 address":                    {text: "::1", want: "[::1]:10261"},
		"every IPv6 address":                 {text: "::", want: "[::]:10261"},
		"an IPv6 address in brackets":        {text: "[::1]", want: "[::1]:10261"},
		"an IPv6 address and a port":         {text: "[fd00::1]:443", want: "[fd00::1]:443"},
		"an IPv6 address of one interface":   {text: "[fe80::1%eth0]:443", want: "[fe80::1%eth0]:443"},
		"an IPv6 address in another writing": {text: "[0:0::0001]:0443", want: "[::1]:443"},
		"localhost":                          {text: "localhost", want: "localhost:10261"},
		"localhost and a port":               {text: "LocalHost:1", want: "localhost:1"},
		"nothing":                            {text: "", err: form},
		"a name":                             {text: "example.com", err: `"example.com"` + name},
		"a name and a port":                  {text: "example.com:80", err: `"example.com"` + name},
		"a port alone":                       {text: ":8080", err: "there is no IP before the port: 127.0.0.1 is this host alone, 0.0.0.0 everybody"},
		"a number":                           {text: "8080", err: `"8080"` + name},
		"a port that is too large":           {text: "127.0.0.1:65536", err: `port "65536"` + port},
		"a port below 0":                     {text: "127.0.0.1:-1", err: `port "-1"` + port},
		"the name of a port":                 {text: "127.0.0.1:http", err: `port "http"` + port},
		"no port after the colon":            {text: "127.0.0.1:", err: `port ""` + port},
		"two ports":                          {text: "127.0.0.1:80:81", err: form},
		"a bracket that is not closed":       {text: "[::1", err: form},
		"an IPv4 address in brackets":        {text: "[127.0.0.1]", err: form},
		"an IPv4 address of three numbers":   {text: "127.0.1", err: `"127.0.1"` + name},
		"an IPv4 address in octal":           {text: "0127.0.0.1", err: `"0127.0.0.1"` + name},
		"a URL":                              {text: "http://127.0.0.1:80", err: form},
		"a space":                            {text: " 127.0.0.1", err: `" 127.0.0.1"` + name},
	} {
		t.Run(sentence, func(t *testing.T) {
			got, err := serve.ParseAddress(c.text)
			switch {
			case got != c.want:
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			case c.err == "" && err != nil, c.err != "" && (err == nil || err.Error() != c.err):
				t.Errorf("got error %v, want %s", err, c.err)
			}
		})
	}
}

func TestListenTellsWhatIsWrong(t *testing.T) {
	taken := listen(t, serve.Options{Address: loopback})
	t.Cleanup(func() { serveOnce(t, taken) })
	for sentence, c := range map[string]struct {
		options serve.Options
		want    string // with %s for the address that is taken
	}{
		"the address is taken": {
			options: serve.Options{Address: taken.Addr()},
			want:    "listening on %s: bind: address already in use",
		},
		"the address is not this host's": {
			options: serve.Options{Address: "192.0.2.1:10261"},
			want:    "listening on 192.0.2.1:10261: bind: cannot assign requested address",
		},
		"nobody can be asked who may read": {
			options: serve.Options{Address: everybody},
			want:    "there is no API server to ask who may read the endpoints",
		},
		"there is no certificate in the file": {
			options: serve.Options{Address: everybody, Client: newAPI().client, CertFile: "no.crt", KeyFile: "no.key"},
			want:    "reading the certificate no.crt with the key no.key: open no.crt: no such file or directory",
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			_, err := serve.Listen(t.Context(), c.options)
			want := strings.ReplaceAll(c.want, "%s", taken.Addr())
			if err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}
