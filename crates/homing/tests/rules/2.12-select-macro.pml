/*
 * 2.12  Macros are replaced before select is looked at: these are constant bounds.
 *
 * SPIN 6.5.2: states 10, transitions 10, errors 1, first "assertion violated" after 2, shortest 2
 */
#define LOW 1
#define HIGH 3
byte v;

init {
	select(v : LOW .. HIGH);
	assert(v != 3)
}
