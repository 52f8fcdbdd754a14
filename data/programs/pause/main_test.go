package main

import (
	"os"
	"syscall"
	"testing"
	"time"
)

func TestReap(t *testing.T) {
	const children = 5
	for range children {
		attributes := &os.ProcAttr{Files: []*os.File{nil, nil, nil}}
		child, err := os.StartProcess("/bin/true", []string{"true"}, attributes)
		if err != nil {
			t.Skip(err)
		}
		// Only forgotten, so that the child is left to reap.
		if err := child.Release(); err != nil {
			t.Fatal(err)
		}
	}
	total := 0
	for deadline := time.Now().Add(5 * time.Second); total < children && time.Now().Before(deadline); {
		total += reap()
		time.Sleep(10 * time.Millisecond)
	}
	if total != children {
		t.Fatalf("reaped %d of %d", total, children)
	}
	if _, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != syscall.ECHILD {
		t.Fatalf("children are left: %v", err)
	}
}
