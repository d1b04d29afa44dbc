E<> Client1.working and Client4.working
