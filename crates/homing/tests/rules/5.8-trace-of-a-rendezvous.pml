/*
 * 5.8  The trace follows the sends on a rendezvous channel; one that names receives on it follows
 * those.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
chan c = [0] of { byte };
chan d = [0] of { byte };

active proctype P() { c!1; d!2; c!3 }
active proctype Q() { c?1; d?2; c?3 }

trace { c!1; d?2; c!3 }
