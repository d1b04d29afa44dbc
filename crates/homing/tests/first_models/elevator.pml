/* A lift with a door and a motor. */
bool moving, door_open;
byte floor;
byte request = 255;
chan call = [1] of { byte };

active proctype Cabin() {
	do
	:: call?request ->
	   do
	   :: floor < request -> moving = true; floor++
	   :: floor > request -> moving = true; floor--
	   :: else -> break
	   od;
	   door_open = true; /* planted: the motor is stopped one statement too late */
	   moving = false;
	   door_open = false
	od
}

active proctype People() {
	do
	:: call!0
	:: call!1
	:: call!2
	od
}
