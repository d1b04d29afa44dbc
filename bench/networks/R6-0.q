E<> P0.s2 and P1.s3 and P2.s1 and P3.s1 and P4.s1 and P5.s5
