/*
 * 5.8  A trace that cannot follow a receive fails at that receive.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 1, first "event_trace error" after 4, shortest 4
 */
chan c = [3] of { byte };

active proctype P() { c!1; c!2; c?1; c?2 }

trace { c?1; c?1 }
