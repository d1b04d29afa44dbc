/*
 * 6.1  unsigned is refused as the type of a message field.
 *
 * SPIN 6.5.2: refused "bad channel spec"
 */
typedef T { unsigned u : 3 };
chan c = [1] of { T };

init {
	T t;
	c!t
}
