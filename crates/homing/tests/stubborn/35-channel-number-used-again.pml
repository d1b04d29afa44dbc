/* B holds the channel of a process that is gone; a new process gets the same number: whether B's send fails depends on `run`. D makes
   the set of B's next step larger than that of `run`. */
chan q = [1] of { chan };
bit d;
byte z, y;
active proctype B() { chan p; q?p; (_nr_pr == 3); d = 1; z = 1; do :: p!1; p?_ od }
active proctype C() { (d == 1); run K(); do :: y < 1 -> y++ :: y == 1 -> y = 0 od }
active proctype D() { (d == 1); z = 2; do :: z = z od }
proctype K() { chan o = [1] of { byte }; do :: y = y od }
active proctype A() { chan o = [1] of { byte }; q!o }
