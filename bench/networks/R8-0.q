E<> P0.s0 and P1.s3 and P2.s2 and P3.s1 and P4.s2 and P5.s3 and P6.s3 and P7.s8
