/* Two traffic lights and a controller that hands out the crossing. */
mtype = { red, green };
mtype north = red, east = red;
chan grant = [0] of { byte };
chan done = [0] of { byte };
#define safe !(north == green && east == green)

active proctype North() {
	do
	:: grant?0 -> north = green; done!0; north = red /* planted: red should come before done */
	od
}

active proctype East() {
	do
	:: grant?1 -> east = green; east = red; done!1
	od
}

active proctype Controller() {
	do
	:: grant!0; done?0
	:: grant!1; done?1
	od
}
