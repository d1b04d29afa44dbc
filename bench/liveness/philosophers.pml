/* Somebody eats again and again. For eleven philosophers: -D N=11. */
#include "../../models/philosophers-ordered.pml"
ltl p { []<>(Philosopher[0]@eat || Philosopher[1]@eat || Philosopher[2]@eat || Philosopher[3]@eat || Philosopher[4]@eat || Philosopher[5]@eat || Philosopher[6]@eat || Philosopher[7]@eat || Philosopher[8]@eat || Philosopher[9]@eat || Philosopher[10]@eat) }
