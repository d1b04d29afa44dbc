/*
 * 1.2  The state between the two halves of a rendezvous is not stored. The handshake is one
 * transition, so with the two -end- steps there are four states in a row.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
chan c = [0] of { byte };

active proctype Sender() { c!1 }
active proctype Receiver() { c?1 }
