E<> Client1.working and Client2.working
