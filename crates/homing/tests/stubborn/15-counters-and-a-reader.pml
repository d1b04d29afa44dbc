/* Counters commute with each other, not with the reader; also where they wrap around. */
byte b = 255;
active [2] proctype up() { b++; b++ }
active proctype down() { b-- }
active proctype reader() { b == 1; assert(false) }
