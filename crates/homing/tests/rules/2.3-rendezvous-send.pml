/*
 * 2.3  A rendezvous send inside a d_step is an error that ends pan.
 *
 * SPIN 6.5.2: verdict violated, first "rv-attempt in d_step" after 1
 */
chan c = [0] of { byte };

active proctype P() { d_step { c!1; skip } }
active proctype Q() { c?1 }
