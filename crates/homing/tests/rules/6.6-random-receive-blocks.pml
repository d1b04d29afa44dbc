/*
 * 6.6  ?? blocks when no message matches.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 1, first "invalid end state" after 2, shortest 2
 */
chan c = [2] of { byte };

init { c!1; c!2; c??3 }
