/*
 * 5.8  A trace that names only receives on a channel does not look at the sends.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
chan c = [2] of { byte };

active proctype P() { c!1; c!2; c?1; c?2 }

trace { c?1; c?2 }
