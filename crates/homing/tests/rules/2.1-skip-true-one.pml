/*
 * 2.1  skip, true and 1 are steps like any other condition; so are printf and a bare expression.
 * Six steps and -end- make eight states.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 0
 */
byte x = 1;

init {
	skip;
	true;
	1;
	printf("x\n");
	x + 1;
	x
}
