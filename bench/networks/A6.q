E<> Client1.working and Client32.working
