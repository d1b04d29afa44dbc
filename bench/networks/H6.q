E<> Disk0.at_2 and Disk1.at_2 and Disk2.at_2 and Disk3.at_2 and Disk4.at_2 and Disk5.at_2
