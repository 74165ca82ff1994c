// Quicgo serves a tree of files, or fetches files, over HTTP/3 by quic-go: see README.md.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

const module = "github.com/quic-go/quic-go"

func main() {
	arguments := os.Args[1:]
	if len(arguments) == 1 && arguments[0] == "-version" {
		fmt.Printf("quic-go %s\n", version())
		return
	}
	if err := run(arguments); err != nil {
		fmt.Fprintf(os.Stderr, "quicgo: %v\n", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	switch {
	case len(arguments) == 7 && arguments[0] == "serve":
		return serve(serving{root: arguments[1], address: arguments[2], port: arguments[3], certificate: arguments[4], key: arguments[5], log: arguments[6]})
	case len(arguments) == 5 && arguments[0] == "fetch":
		return fetchAll(fetching{origin: arguments[1], port: arguments[2], address: arguments[3], certificate: arguments[4]})
	}
	return fmt.Errorf("quicgo -version | serve ROOT ADDRESS PORT CERTIFICATE KEY LOG | fetch ORIGIN PORT ADDRESS CERTIFICATE")
}

// version is that of the library, as the program was built with it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, one := range info.Deps {
		if one.Path == module {
			return strings.TrimPrefix(one.Version, "v")
		}
	}
	return "unknown"
}
