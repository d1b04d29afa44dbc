/* An option that returns to its location but writes a local does move its process. */
byte a[2];
active proctype P() { byte k; do :: k = 1 - k :: a[k] = 1 :: break od }
active proctype Q() { (a[1] == 1); assert(false) }
active proctype R() { (a[1] == 0); a[0] = 1; assert(a[1] == 0) }
