/*
 * 2.12  for (i in a) runs i through the indices of the array.
 *
 * SPIN 6.5.2: states 14, transitions 14, errors 0
 */
byte a[3] = { 5, 6, 7 };
byte i, sum;

init {
	for (i in a) {
		sum = sum + a[i]
	};
	assert(i == 3 && sum == 18)
}
