/*
 * 4.6  A copying receive ?<..> from a rendezvous channel is an error.
 *
 * SPIN 6.5.2: verdict violated, first "polling rv chan" after 1
 */
chan c = [0] of { byte };

active proctype P() { c!1 }
active proctype Q() { byte v; c?<v> }
