mtype = { req, ack, nak };
mtype = { late };
mtype:fruit = { apple, pear, plum };
chan c0 = [3] of { mtype:fruit };
byte g0 = 1;
mtype a0[2] = req;
active proctype A0() {
  short l0_0 = 2;
  bit l0_1 = 1;
  byte i0_1;
  true;
  d_step {
    g0 = 0;
    g0 = 0;
    for (i0_1 : 0 .. 1) {
      a0[g0 & 1] = ack
    };
    l0_0 = l0_0 & l0_1 - l0_1
  };
  accept0_t1: g0 = g0;
  atomic {
    l0_0++;
    if
    :: l0_1 != 0 ->
      if
      :: nfull(c0) ->
        a0[0] = a0[1];
        if
        :: c0?eval(pear)
        :: _nr_pr > 0
        fi
      :: else ->
        if
        :: l0_0 == 2
        :: _nr_pr > 0
        fi
      fi
    :: else
    fi;
    if
    :: g0 >= 1 ->
      {
        byte b0_2 = 0;
        assert(g0 >= 2 || 3 < 2 || true);
        if
        :: c0?_
        :: _nr_pr > 0
        fi
      }
    :: true ->
      g0 = l0_1
    fi
  }
}
active proctype A1() {
  if
  :: c0!plum
  :: g0 != 1
  :: 1 ->
    a0[1] = ack
  fi;
  atomic {
    if
    :: g0 < 0 ->
      printf("here\n")
    :: c0??<_> ->
      if
      :: nempty(c0) ->
        if
        :: c0!pear
        :: _nr_pr > 0
        fi
      :: timeout ->
        int d1_1
      :: else
      fi
    :: true ->
      a0[0] = late;
      if
      :: c0?_ ->
        if
        :: c0!!pear
        :: _nr_pr > 0
        fi;
        g0++
      :: g0 < 1 ->
        a0[g0 & 1] = a0[g0 & 1]
      :: skip ->
        a0[g0 & 1] = nak
      fi;
      {
        byte b1_2 = 1;
        g0--;
        if
        :: nfull(c0)
        :: else
        fi
      }
    fi
  };
  assert(2 <= (!(g0 + 3 <= 1) -> g0 : 1) || true)
}
active proctype A2() {
  byte i2_1;
  accept2_t0: if
  :: c0?_
  :: else
  fi;
  do
  :: break
  :: c0!!pear ->
    do
    :: d_step {
      nfull(c0);
      c0!pear;
      g0 = g0 > 1
    }
    :: atomic {
      full(c0);
      if
      :: full(c0) ->
        assert(g0 != 6)
      :: else ->
        g0 = (g0 + 1) % 3;
        g0 = (g0 + 1) % 3
      fi
    } ->
      if
      :: c0!plum
      :: else
      fi
    :: else ->
      break
    od
  :: c0!!plum
  :: break
  od;
  1;
  d_step {
    assert(g0 != 2);
    assert(g0 != 5);
    for (i2_1 : 0 .. 2) {
      a0[0] = a0[0]
    };
    a0[3 & 1] = ack
  }
}
