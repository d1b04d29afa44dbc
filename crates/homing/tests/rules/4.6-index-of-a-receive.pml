/*
 * 4.6  An index out of range in a receive is an error too.
 *
 * SPIN 6.5.2: verdict violated, first "assertion violated - invalid array index" after 2
 */
chan c = [1] of { byte };
byte a[2], i = 3;

init {
	c!1;
	c?a[i]
}
