/* ExIF (Brim, Cerna & Necesal 2001, section 5): a counter that each of 1000 steps makes larger by one or two. The atomic block is
 * our choice: read literally, without it, the program has other numbers of states. DIFF by -D DIFF=200; with END the counter must
 * not be 1500 at the end. */
#ifndef DIFF
#define DIFF 400
#endif

short MainCounter, StepCounter;

active proctype ExIF() {
	do
	:: StepCounter < 1000 -> atomic {
		if
		:: true -> MainCounter = MainCounter + 1
		:: true -> MainCounter = MainCounter + 2
		fi;
		StepCounter = StepCounter + 1 }
	:: StepCounter >= 1000 -> break
	od
}

#ifdef END
ltl p { [] (StepCounter < 1000 || MainCounter != 1500) }
#else
ltl p { [] (MainCounter < 2000 - DIFF) }
#endif
