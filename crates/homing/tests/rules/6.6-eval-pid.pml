/*
 * 6.6  eval takes any expression, such as _pid: each process receives the message that is for it.
 *
 * SPIN 6.5.2: states 12, transitions 16, errors 0
 */
chan c = [2] of { byte };

active [2] proctype P() { c?eval(_pid) }
init { c!1; c!0 }
