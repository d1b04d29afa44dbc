/* A relay circuit that reverses a motor. A relay sees current come or go in its coil, and some time later its contacts
 * follow. Two buttons choose the direction, a third one stops; each direction holds itself through a contact of its own and
 * is locked by a contact of the other. But when both buttons are pressed while contacts are on their way, both directions
 * are on when the main relay lets current through: a short circuit. With -D CORRECT a lever keeps the contacts of
 * one direction open while those of the other are closed: states 3072, transitions 22785, no error.
 *
 * SPIN 6.5.2: states 4096, transitions 31745, errors 512, first "assertion violated" after 322, shortest 12
 */
bool forward_button, backward_button, stop_button;
bool forward, backward;		/* contacts that choose the direction */
bool ready, main;		/* a delay, and the contact that lets current through to the motor */

/* Where there is current. */
#define FORWARD (!stop_button && !backward && (forward_button || forward))
#define BACKWARD (!stop_button && !forward && (backward_button || backward))

/* Contacts that follow their coil unless they are held. */
#define RELAY(contact, coil, held) \
	do \
	:: d_step { on != (coil) -> on = (coil) } \
	:: d_step { on != contact && !(held) -> contact = on } \
	od

#ifdef CORRECT
#define HELD(other) on && other
#else
#define HELD(other) false
#endif

active proctype Hand() {
	do
	:: forward_button = !forward_button
	:: backward_button = !backward_button
	:: stop_button = !stop_button
	od
}

active proctype Forward() { bool on; RELAY(forward, FORWARD, HELD(backward)) }
active proctype Backward() { bool on; RELAY(backward, BACKWARD, HELD(forward)) }
active proctype Delay() { bool on; RELAY(ready, forward || backward, false) }
active proctype Main() { bool on; RELAY(main, ready && !stop_button, false) }

active proctype Fuse() {
	do
	:: main -> assert(!(forward && backward))
	od
}
