/*
 * 2.9  else beside a send or receive is refused in a model with xr or xs.
 *
 * SPIN 6.5.2: refused "invalid use of 'else' combined with i/o and xr/xs assertions"
 */
chan c = [1] of { byte };

init {
	xs c;
	if
	:: c!1
	:: else
	fi
}
