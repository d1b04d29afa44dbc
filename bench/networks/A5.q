E<> Client1.working and Client16.working
