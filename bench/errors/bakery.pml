/* Nobody need ever be served: a customer who draws the greatest number, or who is never scheduled, makes the others wait. */
#ifndef N
#define N 3
#endif
#ifndef MAX
#define MAX 9
#endif
#include "../../models/bakery.pml"
ltl p { [] (choosing[0] -> <> (critical == 1)) }
