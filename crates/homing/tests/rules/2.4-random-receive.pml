/*
 * 2.4  ?? on a rendezvous channel is the second half of a handshake like ?.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
chan c = [0] of { byte, byte };
byte v;

active proctype P() { c!1,7 }
active proctype Q() { c??1,v; assert(v == 7) }
