/*
 * 2.4  A rendezvous is two lines of the trail and one transition.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 1, first "assertion violated" after 3, shortest 3
 */
chan c = [0] of { byte };

active proctype Sender() { c!1 }
active proctype Receiver() { c?1; assert(false) }
