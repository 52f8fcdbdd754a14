module kubexm/programs/pause

go 1.22
