module kubexm/programs/testserver

go 1.22
