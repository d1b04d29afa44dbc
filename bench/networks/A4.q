E<> Client1.working and Client8.working
