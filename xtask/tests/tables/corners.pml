// Models for the comparison of transition tables, one a line.

// Labels, joins and loops
init { byte a, b; a = 1; b = 2; L: a = 3; b = 4; if :: a > 9 -> goto L :: else fi }
byte g; active proctype A() { byte a, b; do :: a == 3 -> b = 4; a = 5 :: a != 3 -> atomic { g = 1; a = 2; if :: a = 3; break :: a == 2 -> g = 4 fi; g = 7 } ; b = 1 od; b = 2; g = 3; b = 4 }
byte g; active proctype A() { byte a, b; do :: a = 1; L: break od; b = 2; b = 3; g = 1 }
byte g; active proctype A() { byte a, b, i; for (i : 1 .. 3) { a = i; b = a } ; select (a : 1 .. 4); b = a; atomic { for (i : 0 .. 2) { g = i; b = g }; select (b : 0 .. g); a = b }; a = 1; a = 2; { b = 3; b = 4 } b = 5; b = 6; { { b = 7 } ; a = 1 } ; a = 2 }
byte x; active proctype A() { byte a, b; if :: a = 1 fi; b = 2; if :: a == 1 fi; b = 3; do :: a == 1 -> break od; b = 4; if :: a = 2 :: b = 4; fi; a = 3; progress: b = 3; accept: b = 4; end: a = 5; b = 5; skip; b = 6; skip; true; 1; a = 7; a > 3; a = 8; if :: skip; a = 1 :: skip; skip; a = 2 :: else -> a = 3; a = 4 fi }

// Locals, `local` globals, records, predefined variables
local byte g; byte h; typedef T { byte x; byte y[2] } ; local T t; T u; active proctype A() { byte a, b[3]; T l; a = 1; g = 2; t.x = 3; t.y[h] = 4; l.x = 1; b[h] = 2; u.x = 3; a = 1; l.y[1] = 2; a = (g -> h : 1); a = (1 -> g : 2); a = 3 }
byte x; active proctype A() { byte a; _pid == 0; a = _pid; a = _priority; a = _nr_pr; a = 1; a = _last; a = 2; a = enabled(0); a = 3; a = get_priority(0); a = 4; set_priority(0, 2); a = 5; set_priority(0,3); _priority = 4; a = 5; _ = x; _ = 3; a = 2; timeout; a = 3; a = 4; pc_value(0) == 2; a = 1; a = 2 }
byte x; active proctype A() { byte a, b; a = 1; b = x; int k; int j = 3; int l = x; a = 1; b = 2; byte m[3]; a = 3; b = 5 }
mtype = { p, q }; mtype m; byte x; inline inl(y) { y = 1; y = 2 } active proctype A() { byte a; mtype n; inl(a); inl(x); atomic { inl(a); inl(x) } ; n = p; printm(n); printm(m); printm(p); n = q; printf("x %d %e", a, n); printf("%d", x) ; a = 3; a = 4 }

// Initial values of locals decide whether a `run` is shared
byte g; proctype P(byte x) { byte q = g; x = q } proctype Q(byte x) { byte q = 3; x = q; g = x } proctype R(byte x) { byte q = -1; x = q } proctype S(byte x) { byte q = _pid; x = q } proctype T(byte x) { byte q = x; x = q } proctype U() { byte a[2] = {1,2}; a[0] = a[1] } proctype V() { byte z = g; byte q = 3; skip } proctype W() { chan c = [1] of {byte}; c!1 } init { pid p; byte z; p = run P(1); z = 1; p = run Q(1); z = 2; p = run R(1); z = 3; p = run S(1); z = 4; p = run T(1); z = 5; p = run U(); z = 6; p = run V(); z= 7; p = run W(); z = 8; g = 1; p = 1 + run V(); z = 9 }

// Exclusive use of channels; rendezvous
chan c = [2] of {byte, byte}; chan d = [1] of {byte}; chan e = [1] of {byte}; byte h; active proctype A() { xs c; xr d; byte a, b; c!a,b; a = 1; b = 2; d?a; b = 1; d?h; b = 1; a = len(e); b = 2; nfull(c); b = 3; nempty(d); b = 4; e!a; b = 5; e?[1]; a = 2; b=3 } active proctype B() { xr c; xs d; byte a, b; chan l = [1] of {byte}; c?a,b; a = 1; b = 2; c?eval(h),b; a = 1; d!a; b = 1; c??1,b; b = 2; c?<a,b>; b = 1; l!a; b = 1; l?a; b = 2; full(c); a = 1; empty(d); a = 2; b = 3 }
chan c = [2] of {byte, byte}; active proctype A() { xs c; xr c; byte a, b; c!a,b; a = 1; b = 2; a = len(c); b = 2; c?[1,_]; a = 2; b=3; c?a,b; a = 2; b = 4 } never { do :: skip :: len(c) > 3 -> break od }
chan c = [2] of {byte, byte}; active proctype A() { xs c; xr c; byte a, b; c!a,b; a = 1; b = 2; a = len(c); b = 2; c?[1,_]; a = 2; b=3; c?a,b; a = 2; b = 4 } ltl p { [] (len(c) < 3) }
proctype P(chan c; chan l) { xr c; xs l; byte a; c?a; a = 1; a = 2; l!a; a = 3; a = 4 } chan q = [1] of { byte }; chan r = [1] of { byte }; init { run P(q, r); byte z; q!1; z = 1; z = 2; r?z; z = 3; z = 4 }
chan c = [0] of {byte}; active proctype A() { xs c; byte a; c!a; a = 1; atomic { c!a; a = 2; a = 3 } ; a = 4; atomic { c!2; a = 2 } } active proctype B() { byte a; xr c; c?a; a = 1; atomic { c?a; a = 3; a = 2}; a = 7; c?a }

// Remote references, `provided`
byte g; active proctype A() { byte a, b; a = 1; L: g = 2; a = 2; M: b = 3; a = 1; atomic { a = 1; N: b = 2; a = 3 }; a = 4 } active proctype B() { byte z; A@L; z = 1; A[0]@M; z = 2; z = 3; A@N; z = 1; z = A@L; z = 2 }
byte g; active proctype A() { byte a, b; a = 1; b = 2; g = 1; a = 2; b = 3 } active proctype B() { byte z; A:a == 1; z = 1; z = 2 }
byte g; active proctype A() provided (g == 0) { byte a, b; a = 1; b = 2; g = 1; a = 2; b = 3 } active proctype B() { byte z;  z = 1; z = 2 }

// Escapes, d_step, jumps in and out of atomic sequences
byte g; active proctype A() { byte a, b; a = 1; { a = 2; b = 3; if :: a = 1; b = 2 :: b = 3; a = 4 fi; b = 1 } unless { g == 2; a = 3; b = 4 }; b = 5; atomic { a = 1; { a = 2; g = 3; if :: a == 1 -> g = 2 :: g = 7 fi } unless { g == 9; a = 2; b = 3 } ; a = 4; }; b = 6; b = 7 }
byte g; active proctype A() { byte a, b; a = 1; d_step { a = 2; b = 3; g = 4 }; b = 5; b = 6; atomic { d_step { a = 2; b = 3 } ; g = 5; d_step { g = 4; a = 2}; b = 1 } ; b = 7; a = 2; g = 1 }
byte g; active proctype A() { byte a, b; a = 1; atomic { a = 2; g = 3; if :: g = 4; goto X :: g == 3 -> goto Y :: else -> a = 7; goto Z fi; a = 4; goto W };  X: a = 3; b = 2; Y: goto V; Z: b = 4; b = 5; atomic { a = 1; W: b = 1; g = 3; V: a = 2; goto U; }; U: a = 9; b = 9 }
byte g; active proctype A() { byte a, b; do :: atomic { a = 1; g = 2; do :: g == 1 -> a = 2; break :: g = 4; if :: a = 4; break :: g = 5; fi :: else -> b = 2; goto O od; b = 3; if :: b = 4; :: a = 4; b = 5; fi } :: b = 9; break od; O: a = 1; b = 2; printf("%d", a); assert(a == 1); g = 3; assert(g == 3); printf("%d", g); b = 1 }
byte x; active proctype A() { byte a, b; E0: if :: atomic { a == 1 -> a = 2 } :: atomic { if :: a = 2 fi } :: { a = 4; b = 4 } :: d_step { a = 3; b = 4 } :: atomic { x = 1; if :: x = 3 :: x = 4; a = 3 fi; a = 4; do :: a = 2; goto E0 :: break od } :: x = 3; a = 4; break_: b = 1 fi; b = 4; if :: goto E0 :: goto E1 :: b = 3; goto E1; fi ; E1: b = 1; goto E2; b = 2; b = 3; E2: skip }

// Claims and traces
byte x; active proctype A() { do :: x = 1 :: x = 2 od } never { do :: atomic { x == 2 -> assert(x != 2) } :: (x == 3) -> assert(1) :: skip :: assert(true); printf("a"); printf("b") od }
chan c = [2] of {byte}; byte x; active proctype A() { byte a; c!1; a = 1; c?a; a = 3 } trace { do :: c!1; c?_ od }

// A jump behind a label that is referred to from elsewhere
byte x; active proctype A() { byte a, b; atomic { a = 1; if :: b = 1; L: goto M :: b = 2; fi; x = 3 } ; N: a = 3; M: a = 4; b = 1 } active proctype B() { byte z; z = 1; A@L; z = 2; z = 3 }
byte x; active proctype A() { byte a, b; { a = 1; x = 2; L: goto M; x = 3 } unless { x == 9; a = 2 }; N: a = 3; M: a = 4; b = 1 } active proctype B() { byte z; z = 1; A@L; z = 2; z = 3 }
