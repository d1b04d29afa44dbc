/* Some customer is served again and again, unless somebody holds the greatest number: then others draw in vain. */
#include "../../models/bakery.pml"
ltl p { []<>(critical == 1 || number[0] == MAX || number[1] == MAX || number[2] == MAX) }
