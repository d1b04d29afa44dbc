E<> P0.s1 and P1.s1 and P2.s1 and P3.s7 and P4.s2 and P5.s3 and P6.s8 and P7.s1 and P8.s4
