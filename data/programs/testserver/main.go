// Testserver answers what checks of a cluster ask: who am I, who asks, what do names resolve to, what can be reached from here.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Set by the build for an image: the version of that.
var version = "1.1.0"

func main() {
	httpAddress := flag.String("http", ":8080", "address of the HTTP server")
	udpAddress := flag.String("udp", ":8081", "address of the UDP echo; empty for none")
	question := flag.String("ask", "", "ask the server of this machine for a path, such as /dns?name=localhost, and end")
	showVersion := flag.Bool("version", false, "print the version")
	flag.Parse()
	if *showVersion {
		fmt.Println("kubexm testserver " + version)
		return
	}
	if flag.NArg() > 0 {
		log.Fatalf("unknown argument %q", flag.Arg(0))
	}
	if *question != "" {
		if err := ask(*httpAddress, *question, os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	if err := serve(stop, *httpAddress, *udpAddress); err != nil {
		log.Fatal(err)
	}
}

// serve runs until the context ends or a listener fails.
func serve(stop context.Context, httpAddress, udpAddress string) error {
	failed := make(chan error, 2)
	if udpAddress != "" {
		socket, err := net.ListenPacket("udp", udpAddress)
		if err != nil {
			return err
		}
		defer socket.Close()
		log.Printf("udp on %s", socket.LocalAddr())
		go func() { failed <- echoPackets(socket) }()
	}
	listener, err := net.Listen("tcp", httpAddress)
	if err != nil {
		return err
	}
	log.Printf("http on %s", listener.Addr())
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler(host), ReadHeaderTimeout: 10 * time.Second}
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		server.Close()
		return err
	case <-stop.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := server.Shutdown(grace); errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	} else if err != nil {
		return err
	}
	return nil
}

// echoPackets sends every packet back to where it came from.
func echoPackets(socket net.PacketConn) error {
	buffer := make([]byte, 64<<10)
	for {
		size, from, err := socket.ReadFrom(buffer)
		if err != nil {
			return err
		}
		if _, err := socket.WriteTo(buffer[:size], from); err != nil {
			log.Printf("udp to %s: %v", from, err)
		}
	}
}
