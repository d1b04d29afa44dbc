/* Two receives on different channels and a third option that leaves. */
chan c = [1] of { byte }; chan d = [1] of { byte };
bool over;
active proctype loss() { do :: c?_ :: d?_ :: over -> break od }
active proctype P() { c!1; c!2; over = true }
active proctype Q() { byte l; d!1; if :: d?l -> assert(l == 1) :: timeout -> assert(false) fi }
