module kubexm/programs/iptables-wrapper

go 1.22
