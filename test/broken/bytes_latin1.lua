-- expect 2: unexpected symbol
été = 1
