E<> inside == 2
A[] not deadlock
