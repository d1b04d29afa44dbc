E<> P0.s0 and P1.s0 and P2.s8 and P3.s3 and P4.s0
