// FerretDB, MongoDB's wire protocol over PostgreSQL, for tests alone: `go install` can't build its own main package.
//
// MongoDB updates a document atomically; FerretDB 1.24 reads it, then writes it, with nothing between two updates. So
// what writes passes one by one here.
package main

import (
	"context"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

// Where it listens (host:port), where FerretDB does behind it (a path), and where PostgreSQL is (a URL).
func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	socket := os.Getenv("FERRETDB_SOCKET")
	// One that was killed leaves its socket behind.
	_ = os.Remove(socket)
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:      ferretdb.ListenerConfig{Unix: socket},
		Handler:       "postgresql",
		PostgreSQLURL: os.Getenv("FERRETDB_POSTGRESQL_URL"),
	})
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", os.Getenv("FERRETDB_LISTEN"))
	if err != nil {
		log.Fatal(err)
	}
	go serve(listener, socket)
	if err := server.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
