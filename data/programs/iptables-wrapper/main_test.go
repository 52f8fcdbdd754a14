package main

import (
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	for name, want := range map[string]string{
		"iptables":          "iptables-nft",
		"iptables-save":     "iptables-nft-save",
		"ip6tables-restore": "ip6tables-nft-restore",
	} {
		if got := named(name, "nft"); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestChoose(t *testing.T) {
	const (
		hint  = "*mangle\n:KUBE-IPTABLES-HINT - [0:0]\nCOMMIT\n"
		rules = "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -j ACCEPT\nCOMMIT\n"
		empty = "*filter\n:INPUT ACCEPT [0:0]\nCOMMIT\n"
	)
	for _, test := range []struct {
		name string
		// By kind and, where it matters, table; what is not there does not work.
		kernel map[string]string
		want   string
	}{
		{"kubelet uses nft", map[string]string{"nft mangle": hint, "nft": "", "legacy": rules}, "nft"},
		{"kubelet uses legacy", map[string]string{"legacy": hint, "nft": rules}, "legacy"},
		{"kubelet with IPv6 only", map[string]string{"6 legacy": hint, "legacy": "", "nft": rules}, "legacy"},
		{"rules in legacy only", map[string]string{"legacy": rules, "nft": ""}, "legacy"},
		{"rules in both", map[string]string{"legacy": rules, "nft": rules}, "nft"},
		{"no rules", map[string]string{"legacy": empty, "nft": ""}, "nft"},
		{"a kernel without legacy", map[string]string{"nft": ""}, "nft"},
		{"a kernel without nft", map[string]string{"legacy": empty, "legacy filter": empty}, "legacy"},
		{"a kernel with neither", map[string]string{}, "nft"},
	} {
		got := choose(func(family, mode string, args ...string) ([]byte, bool) {
			key := mode
			if len(args) == 2 {
				key += " " + args[1]
			}
			if family == "ip6tables" {
				key = "6 " + key
			}
			text, ok := test.kernel[key]
			return []byte(text), ok
		})
		if got != test.want {
			t.Errorf("%s: %s", test.name, got)
		}
	}
}

func TestHintIsAChain(t *testing.T) {
	for text, want := range map[string]bool{
		":KUBE-KUBELET-CANARY - [0:0]":             true,
		"# :KUBE-KUBELET-CANARY - [0:0]":           false,
		"-A OUTPUT -j KUBE-IPTABLES-HINT":          false,
		":KUBE-IPTABLES-HINTS - [0:0]":             false,
		"*mangle\n:KUBE-IPTABLES-HINT - [0:0]\n":   true,
		strings.Repeat(":PREROUTING ACCEPT\n", 10): false,
	} {
		if got := hints.MatchString(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
