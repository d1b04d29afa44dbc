/*
 * 2.15  Priorities do not go together with rendezvous channels: the code of the verifier is
 * refused by gcc with a message that says so.
 *
 * SPIN 6.5.2: refused "use of priorities cannot be combined with rendezvous"
 * homing accepts it: a rendezvous is a step of its sender.
 */
chan c = [0] of { byte };

active proctype A() priority 2 { c!1 }
active proctype B() { c?1 }
