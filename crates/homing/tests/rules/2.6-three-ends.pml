/*
 * 2.6  A process at its closing brace has the step -end-, executable when it is the youngest.
 * Three processes of one step have 15 states and 25 transitions.
 *
 * SPIN 6.5.2: states 15, transitions 25, errors 0
 */
active [3] proctype P() { skip }
