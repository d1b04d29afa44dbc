E<> Train(0).Cross and waiting == 2
A[] forall (i : id_t) forall (j : id_t) Train(i).Cross && Train(j).Cross imply i == j
A[] not deadlock
