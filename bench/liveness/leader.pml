/* A leader is elected. */
#include "../../models/leader.pml"
ltl p { <>(leaders == 1) }
