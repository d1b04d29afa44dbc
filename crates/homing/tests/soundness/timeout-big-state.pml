// expect: unknown timeout
// options: --timeout 100ms
byte a[1000000]; byte i; init { do :: a[i] = 1; i++ od }
