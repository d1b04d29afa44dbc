/*
 * 5.8  A trace that cannot follow the send half of a rendezvous fails at that half.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 1, first "event_trace error" after 3, shortest 3
 */
chan c = [0] of { byte };

active proctype P() { c!1; c!2 }
active proctype Q() { c?1; c?2 }

trace { c!1; c!1 }
