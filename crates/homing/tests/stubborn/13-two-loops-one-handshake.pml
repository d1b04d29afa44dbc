/* Two private loops joined by one handshake, after which the assertion lies. */
chan r = [0] of { byte };
active proctype P() { byte l; do :: l = 1 - l :: r!1 -> break od; do :: l = 1 - l od }
active proctype Q() { byte l; do :: l = 1 - l :: r?l -> break od; assert(l == 0) }
