/* Transfers between two accounts; the sum must not change. */
int account[2] = 100;
byte finished;

proctype Transfer(byte from; byte to; int amount) {
	int balance;
	balance = account[from]; /* planted: read and write are not one step */
	account[from] = balance - amount;
	atomic { account[to] = account[to] + amount; finished++ }
}

init {
	atomic {
		run Transfer(0, 1, 10);
		run Transfer(0, 1, 20);
	}
	finished == 2;
	assert(account[0] + account[1] == 200)
}
