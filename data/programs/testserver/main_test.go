package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestAnswers(t *testing.T) {
	server := httptest.NewServer(handler("node-a"))
	defer server.Close()
	open := strings.TrimPrefix(server.URL, "http://")
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	go echoPackets(socket)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, test := range []struct {
		path   string
		status int
		want   string
	}{
		{"/", 200, `"hostname":"node-a"`},
		{"/hostname", 200, "node-a\n"},
		{"/client", 200, "127.0.0.1\n"},
		{"/healthz", 200, "ok\n"},
		{"/echo?say=hello", 200, "hello\n"},
		{"/dns?name=localhost", 200, "127.0.0.1"},
		{"/dns?name=nothing.invalid", 502, "error"},
		{"/dns", 400, "?name="},
		{"/tcp?to=" + url.QueryEscape(open), 200, open},
		{"/tcp?to=" + url.QueryEscape(closed.Addr().String()), 502, "refused"},
		{"/udp?to=" + url.QueryEscape(socket.LocalAddr().String()), 200, socket.LocalAddr().String()},
		{"/elsewhere", 404, ""},
	} {
		response, err := http.Get(server.URL + test.path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != test.status || !strings.Contains(string(body), test.want) {
			t.Errorf("%s: %d %s", test.path, response.StatusCode, body)
		}
	}
}

func TestEchoOfBody(t *testing.T) {
	server := httptest.NewServer(handler("node-a"))
	defer server.Close()
	response, err := http.Post(server.URL+"/echo", "text/plain", strings.NewReader("a body"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); string(body) != "a body" {
		t.Fatalf("%q came back", body)
	}
}

func TestAsks(t *testing.T) {
	server := httptest.NewServer(handler("node-a"))
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	var answer strings.Builder
	if err := ask(address, "/hostname", &answer); err != nil || answer.String() != "node-a\n" {
		t.Fatalf("%q, %v", answer.String(), err)
	}
	answer.Reset()
	if err := ask(address, "/dns?name=nothing.invalid", &answer); err == nil || !strings.Contains(answer.String(), `"error"`) {
		t.Fatalf("%q, %v", answer.String(), err)
	}
	if err := ask("127.0.0.1:1", "/hostname", &answer); err == nil {
		t.Fatal("nobody was there")
	}
}

func TestEndsWhenTold(t *testing.T) {
	stop, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- serve(stop, "127.0.0.1:0", "127.0.0.1:0") }()
	time.Sleep(100 * time.Millisecond)
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("still there")
	}
}
