/* Whatever the schedule, some process enters again and again: none of them can wait and move. */
#include "../../models/peterson-n.pml"
ltl p { []<>(critical == 1) }
