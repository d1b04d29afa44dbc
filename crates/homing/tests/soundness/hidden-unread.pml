// expect: holds states=3
// A hidden variable that is never read does not keep a search from using several threads.
hidden byte h;
init { h = 1 }
