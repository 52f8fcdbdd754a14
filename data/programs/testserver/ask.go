package main

import (
	"errors"
	"io"
	"net"
	"net/http"
)

// ask sends a request to the server of this machine and writes the answer, for callers that can only run a command here.
func ask(address, path string, answer io.Writer) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: 2 * patience}
	response, err := client.Get("http://" + net.JoinHostPort("127.0.0.1", port) + path)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(answer, io.LimitReader(response.Body, bodyMax)); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}
