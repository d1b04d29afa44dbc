/*
 * 6.6  A send to a full channel blocks, a receive from an empty one too.
 *
 * SPIN 6.5.2: states 9, transitions 10, errors 0
 */
chan c = [1] of { byte };

active proctype P() { c!1; c!2; c!3 }
active proctype Q() { c?1; c?2 }
