/*
 * 4.6  Polling a rendezvous channel is an error.
 *
 * SPIN 6.5.2: verdict violated, first "error to poll rendezvous channel" after 1
 */
chan c = [0] of { byte };

active proctype P() { c?[1] }
active proctype Q() { c!1 }
