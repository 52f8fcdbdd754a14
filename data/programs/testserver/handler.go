package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"time"
)

const (
	// What a check waits for at most: a packet that is dropped has no other answer.
	patience = 5 * time.Second
	bodyMax  = 1 << 20
)

// handler answers in the name of a host.
func handler(host string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusOK, map[string]any{"hostname": host, "client": client(r), "version": version})
	})
	mux.HandleFunc("/hostname", func(w http.ResponseWriter, _ *http.Request) { text(w, host) })
	mux.HandleFunc("/client", func(w http.ResponseWriter, r *http.Request) { text(w, client(r)) })
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { text(w, "ok") })
	mux.HandleFunc("/echo", echo)
	mux.HandleFunc("/dns", asking("name", resolve))
	mux.HandleFunc("/tcp", asking("to", connect))
	mux.HandleFunc("/udp", asking("to", bounce))
	return mux
}

// client is the address that a request came from, without its port.
func client(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

func echo(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		text(w, r.URL.Query().Get("say"))
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	io.Copy(w, http.MaxBytesReader(w, r.Body, bodyMax))
}

// asking runs a check with what the query names: 200 with the result, 502 where it fails.
func asking(key string, check func(context.Context, string) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		what := r.URL.Query().Get(key)
		if what == "" {
			answer(w, http.StatusBadRequest, map[string]any{"error": "say ?" + key + "=…"})
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		result, err := check(ctx, what)
		if err != nil {
			answer(w, http.StatusBadGateway, map[string]any{key: what, "error": err.Error()})
			return
		}
		answer(w, http.StatusOK, map[string]any{key: what, "result": result})
	}
}

func resolve(ctx context.Context, name string) (any, error) {
	addresses, err := net.DefaultResolver.LookupHost(ctx, name)
	slices.Sort(addresses)
	return addresses, err
}

// connect says which address answered.
func connect(ctx context.Context, to string) (any, error) {
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", to)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	return connection.RemoteAddr().String(), nil
}

// bounce sends a packet to another testserver and waits for it to come back.
func bounce(ctx context.Context, to string) (any, error) {
	connection, err := new(net.Dialer).DialContext(ctx, "udp", to)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	if deadline, ok := ctx.Deadline(); ok {
		connection.SetDeadline(deadline)
	}
	const sent = "kubexm"
	if _, err := connection.Write([]byte(sent)); err != nil {
		return nil, err
	}
	buffer := make([]byte, 64)
	size, err := connection.Read(buffer)
	if err != nil {
		return nil, err
	}
	if string(buffer[:size]) != sent {
		return nil, errors.New("something else came back")
	}
	return connection.RemoteAddr().String(), nil
}

func text(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, body+"\n")
}

func answer(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}
