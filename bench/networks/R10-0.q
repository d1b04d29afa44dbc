E<> P0.s2 and P1.s0 and P2.s3 and P3.s2 and P4.s5 and P5.s2 and P6.s1 and P7.s2 and P8.s2 and P9.s7
