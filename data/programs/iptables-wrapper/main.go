// Iptables-wrapper stands for iptables, ip6tables and their -save and -restore, and runs the ones that the node uses: nft or
// legacy. A container that picks the other kind writes rules that nobody sees, or that the kernel refuses.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

const (
	sbin = "/usr/sbin"
	// The decision holds as long as the container lives: rules of one container must not end in two places.
	decision = "/run/iptables-wrapper.mode"
	patience = 20 * time.Second
)

var names = map[string]bool{
	"iptables": true, "iptables-save": true, "iptables-restore": true,
	"ip6tables": true, "ip6tables-save": true, "ip6tables-restore": true,
}

func main() {
	name := filepath.Base(os.Args[0])
	if !names[name] {
		fmt.Fprintf(os.Stderr, "iptables-wrapper: call it by the name of iptables or its like, not %s\n", name)
		os.Exit(2)
	}
	mode := remembered()
	if mode == "" {
		mode = choose(ask)
		remember(mode)
	}
	multi := filepath.Join(sbin, "xtables-"+mode+"-multi")
	err := syscall.Exec(multi, append([]string{named(name, mode)}, os.Args[1:]...), os.Environ())
	fmt.Fprintf(os.Stderr, "iptables-wrapper: %s: %v\n", multi, err)
	os.Exit(1)
}

// named is what the program calls itself: ip6tables-save of nft is ip6tables-nft-save.
func named(name, mode string) string {
	family, action, _ := strings.Cut(name, "-")
	if action != "" {
		action = "-" + action
	}
	return family + "-" + mode + action
}

var families = []string{"iptables", "ip6tables"}

// rules are what -save prints; ok is false where the kernel does not have that kind.
type asker func(family, mode string, args ...string) (rules []byte, ok bool)

// The chains that a kubelet leaves for exactly this question.
var hints = regexp.MustCompile(`(?m)^:(KUBE-IPTABLES-HINT|KUBE-KUBELET-CANARY) `)

// choose finds the kind that the node uses: where the kubelet left its mark, else where more rules are, else what works.
func choose(ask asker) string {
	for _, family := range families {
		if rules, _ := ask(family, "nft", "-t", "mangle"); hints.Match(rules) {
			return "nft"
		}
	}
	legacy := 0
	for _, family := range families {
		// No table is named: naming one that is not there would make it, and nft warns of that ever after.
		rules, _ := ask(family, "legacy")
		if hints.Match(rules) {
			return "legacy"
		}
		legacy += count(rules)
	}
	nft, works := 0, false
	for _, family := range families {
		rules, ok := ask(family, "nft")
		nft += count(rules)
		works = works || ok
	}
	if legacy > nft || !works && legacyWorks(ask) {
		return "legacy"
	}
	return "nft"
}

func legacyWorks(ask asker) bool {
	_, works := ask("iptables", "legacy", "-t", "filter")
	return works
}

// count passes over policies and built-in chains: those are there on every node.
func count(rules []byte) int {
	lines := 0
	for _, line := range bytes.Split(rules, []byte("\n")) {
		if bytes.HasPrefix(line, []byte("-")) || bytes.HasPrefix(line, []byte(":KUBE-")) {
			lines++
		}
	}
	return lines
}

func ask(family, mode string, args ...string) ([]byte, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	name := family + "-" + mode + "-save"
	command := exec.CommandContext(ctx, filepath.Join(sbin, "xtables-"+mode+"-multi"), args...)
	command.Args[0] = name
	rules, err := command.Output()
	return rules, err == nil
}

func remembered() string {
	text, err := os.ReadFile(decision)
	if mode := strings.TrimSpace(string(text)); err == nil && (mode == "nft" || mode == "legacy") {
		return mode
	}
	return ""
}

// remember tries: on a root that cannot be written the question is asked again, with the same answer.
func remember(mode string) {
	fresh := fmt.Sprintf("%s.%d", decision, os.Getpid())
	if os.WriteFile(fresh, []byte(mode+"\n"), 0o644) == nil && os.Rename(fresh, decision) != nil {
		os.Remove(fresh)
	}
}
