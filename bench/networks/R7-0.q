E<> P0.s2 and P1.s6 and P2.s1 and P3.s7 and P4.s2 and P5.s1 and P6.s6
