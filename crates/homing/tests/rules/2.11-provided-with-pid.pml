/*
 * 2.11  A provided clause may use _pid and is evaluated for the process it belongs to: they take
 * turns.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 0
 */
byte turn;

active [2] proctype P() provided (turn == _pid) { turn = 1 - _pid }
