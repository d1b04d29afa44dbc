// SPIN looks whether the claim has ended in every state, the initial one included.
// expect acceptance: violated claim-end length=0
byte x;
active proctype P() { do :: x = 1 - x od }
never {
  end_0: do :: goto T1 od;
  T1: if :: x == 0 -> goto T1 fi
}
