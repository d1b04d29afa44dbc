// Dekker's algorithm as Peterson wrote it: a process that wants to enter may starve unless it is scheduled.
// expect live: violated acceptance-cycle length=14
// expect live --fairness weak: holds
// expect live --fairness strong: holds
// expect mutex: holds
// expect quiet: violated acceptance-cycle length=6
bool turn, flag[2]; byte ncrit;
active [2] proctype user() {
again: flag[_pid] = true; turn = _pid;
  (flag[1 - _pid] == false || turn == 1 - _pid);
  ncrit++;
crit: ncrit--;
  flag[_pid] = false;
  goto again
}
ltl live { [] (flag[0] -> <> user[0]@crit) }
ltl mutex { [] (ncrit < 2) }
ltl quiet { <> [] (ncrit == 0) }
