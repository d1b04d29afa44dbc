// expect acceptance: violated claim-end length=2
// Every skip of a claim reads a state: the options of a choice in a claim keep all of theirs.
bit tick;
active proctype Clock() { do :: tick = 1 - tick od }
never {
	if
	:: true -> true; goto T1
	fi;
T1:	tick == 0
}
