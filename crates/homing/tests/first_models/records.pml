/* Orders are records that go through a chain of processes. */
mtype = { small, large };
typedef Order { byte id; mtype kind; byte quantity };
chan incoming = [1] of { Order };
chan packed = [1] of { Order };

active proctype Shop() {
	Order o;
	o.id = 1; o.kind = small; o.quantity = 2;
	incoming!o;
	o.id = 2; o.kind = large; o.quantity = 9;
	incoming!o
}

active proctype Packer() {
	Order o;
end:	do
	:: incoming?o ->
		if
		:: o.quantity < 2 -> o.kind = small
		:: else -> o.kind = large /* planted: two is still small */
		fi;
		packed!o
	od
}

active proctype Truck() {
	Order o;
end:	do
	:: packed?o ->
	   assert(o.kind == small || o.quantity > 2)
	od
}
