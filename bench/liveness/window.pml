/* Something is on the way again and again. */
#include "../../models/window.pml"
ltl p { []<>(len(data) > 0) }
