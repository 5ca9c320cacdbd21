package serve

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// DefaultPort is where the endpoints are unless an address says otherwise.
const DefaultPort = "10261"

// ParseAddress turns IP or IP:PORT into an address to listen on; the port is DefaultPort when there is none, and 0
// stands for any that is free. An IPv6 address with a port is in brackets. localhost is the only name: what others
// stand for, and so who can reach the endpoints, is not for this host to say. Errors do not repeat the text.
func ParseAddress(text string) (string, error) {
	host, port, err := splitAddress(text)
	if err != nil {
		return "", err
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", fmt.Errorf("port %q is not a number from 0 to 65535", port)
	}
	return net.JoinHostPort(host, strconv.FormatUint(number, 10)), nil
}

// splitAddress returns the host of an address, which is one to listen on, and its port as it is written.
func splitAddress(text string) (host, port string, err error) {
	if host, err := parseHost(unbracketed(text)); err == nil {
		return host, DefaultPort, nil
	}
	host, port, err = net.SplitHostPort(text)
	switch {
	case err != nil && (text == "" || strings.ContainsAny(text, ":[]")):
		return "", "", errors.New("it is neither IP nor IP:PORT, such as 127.0.0.1:10261 or [::1]:10261")
	case err != nil:
		host = text
	case host == "":
		return "", "", errors.New("there is no IP before the port: 127.0.0.1 is this host alone, 0.0.0.0 everybody")
	}
	host, err = parseHost(host)
	return host, port, err
}

// parseHost returns an IP address, or localhost, as it is usually written.
func parseHost(text string) (string, error) {
	if strings.EqualFold(text, localhost) {
		return localhost, nil
	}
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return "", fmt.Errorf("%q is neither an IP address nor localhost", text)
	}
	return ip.String(), nil
}

// unbracketed returns what is between brackets, or the text when it is not an IPv6 address in brackets.
func unbracketed(text string) string {
	if inner, ok := strings.CutPrefix(text, "["); ok {
		if inner, ok := strings.CutSuffix(inner, "]"); ok && strings.Contains(inner, ":") {
			return inner
		}
	}
	return text
}
