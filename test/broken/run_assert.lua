-- expect 2: assertion failed!
assert(1 == 2)
